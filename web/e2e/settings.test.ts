import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, engines } from './desk'
import { axe, dialog } from './parts'

const nav = (page: Page) => page.getByRole('navigation', { name: 'Settings' })
const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true })
const alert = (page: Page, name: string) => page.getByRole('alertdialog', { name })

/** settings opens a page of the settings from its navigation. */
async function settings(page: Page, name: string): Promise<void> {
  if (!(await nav(page).isVisible())) await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await nav(page).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe.each(engines)('the settings, %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('change the name and the time zone of the company', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/company$/)
    await desk.signIn(page)
    await settings(page, 'Company')
    await page.getByRole('textbox', { name: 'Company name' }).fill('Padaria do Centro')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Manaus')
    await page.getByRole('option', { name: 'America/Manaus' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    expect(await desk.call('GET', '/company')).toMatchObject({ name: 'Padaria do Centro', timezone: 'America/Manaus' })
    await page.getByRole('textbox', { name: 'Company name' }).fill('   ')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Company name' }).getAttribute('aria-invalid')).toBe('true')
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Company name' }).inputValue()).toBe('Padaria do Centro')
  })

  it('make, change and delete a label', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/labels$/)
    await desk.signIn(page)
    await settings(page, 'Labels')
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'New label' }).click()
      await dialog(page, 'New label').getByRole('textbox', { name: 'Name' }).fill(name)
      await dialog(page, 'New label').getByRole('radio', { name: 'Blue' }).check()
      await dialog(page, 'New label').getByRole('button', { name: 'Save' }).click()
    }
    await create('Zona Norte')
    await list(page, 'Labels').getByText('Zona Norte').waitFor()
    await create('zona norte')
    await dialog(page, 'New label').getByText('This name is in use.').waitFor()
    await dialog(page, 'New label').getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Edit Zona Norte' }).click()
    await dialog(page, 'Edit label').getByRole('textbox', { name: 'Name' }).fill('Zona Sul')
    await dialog(page, 'Edit label').getByRole('button', { name: 'Save' }).click()
    await list(page, 'Labels').getByText('Zona Sul').waitFor()
    const { data } = (await desk.call('GET', '/labels')) as { data: { name: string; color: string }[] }
    expect(data.find((label) => label.name === 'Zona Sul')?.color).toBe('#1565c0')
    await page.getByRole('button', { name: 'Delete Zona Sul' }).click()
    await alert(page, 'Delete the label Zona Sul?').getByText(/contacts, conversations and cards/).waitFor()
    await alert(page, 'Delete the label Zona Sul?').getByRole('button', { name: 'Delete' }).click()
    await list(page, 'Labels').getByText('Zona Sul').waitFor({ state: 'detached' })
  })

  it('make a sector with members, change it and delete it', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Sectors')
    await page.getByRole('button', { name: 'New sector' }).click()
    const creating = dialog(page, 'New sector')
    await creating.getByRole('textbox', { name: 'Name', exact: true }).fill('Compras')
    await creating.getByRole('combobox', { name: 'Members' }).click()
    const first = page.getByRole('listbox', { name: 'Members' }).getByRole('option').first()
    const member = (await first.textContent()) ?? ''
    await first.click()
    await page.keyboard.press('Tab')
    await creating.getByRole('button', { name: 'Save' }).click()
    const row = list(page, 'Sectors').getByRole('listitem').filter({ hasText: 'Compras' })
    await row.getByText(member).waitFor()
    await row.getByRole('button', { name: 'Edit Compras' }).click()
    await dialog(page, 'Edit sector').getByRole('textbox', { name: 'Name', exact: true }).fill('Compras e estoque')
    await dialog(page, 'Edit sector').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete Compras e estoque' }).click()
    await alert(page, 'Delete the sector Compras e estoque?').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('invite a person, who accepts by the link; change, help and remove a member', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/invitations$/)
    await desk.signIn(page)
    await settings(page, 'Team')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const inviting = dialog(page, 'Invite a person')
    await inviting.getByRole('textbox', { name: 'Name' }).fill('Nara Prado')
    await inviting.getByRole('textbox', { name: 'E-mail' }).fill(desk.demo.login.email)
    await inviting.getByRole('combobox', { name: 'Role' }).selectOption('Agent')
    await inviting.getByRole('combobox', { name: 'Sees' }).selectOption('Own sectors')
    await inviting.getByRole('combobox', { name: 'Sectors' }).click()
    await page.getByRole('listbox', { name: 'Sectors' }).getByRole('option', { name: 'Vendas' }).click()
    await page.keyboard.press('Tab')
    await inviting.getByRole('button', { name: 'Create invitation' }).click()
    await inviting.getByText('Another person of the team has this address.').waitFor()
    await inviting.getByRole('textbox', { name: 'E-mail' }).fill('nara@example.com')
    await inviting.getByRole('button', { name: 'Create invitation' }).click()
    const made = dialog(page, 'Invitation for Nara Prado')
    await made.getByRole('button', { name: 'Copy link' }).click()
    const link = await made.getByRole('textbox', { name: 'Link' }).inputValue()
    await made.getByRole('button', { name: 'Done' }).click()
    await list(page, 'Invitations').getByText('nara@example.com').waitFor()

    const { page: hers } = await desk.page({}, /status of 401/)
    await hers.goto(link)
    const welcome = hers.getByRole('main', { name: 'Welcome' })
    await welcome.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
    await welcome.getByRole('button', { name: 'Continue' }).click()
    await hers.getByRole('navigation', { name: 'Views' }).waitFor()

    await page.reload()
    const row = list(page, 'Team').getByRole('listitem').filter({ hasText: 'nara@example.com' })
    await row.getByText('Agent · Own sectors · Vendas').waitFor()
    await row.getByText('online').waitFor()
    await list(page, 'Invitations').getByText(/^Accepted/).waitFor()
    await row.getByRole('button', { name: 'Edit Nara Prado' }).click()
    const editing = dialog(page, 'Edit Nara Prado')
    await editing.getByRole('button', { name: 'Reset link' }).click()
    expect(await editing.getByRole('textbox', { name: 'Link' }).inputValue()).toMatch(/#\/welcome\?token=/)
    await editing.getByRole('button', { name: 'Copy link' }).click()
    await editing.getByRole('button', { name: 'Sign out everywhere' }).click()
    await editing.getByText('Nara Prado is signed out on all devices.').waitFor()
    await hers.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await editing.getByRole('combobox', { name: 'Role' }).selectOption('Manager')
    await editing.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Manager · Own sectors · Vendas').waitFor()
    await row.getByRole('button', { name: 'Edit Nara Prado' }).click()
    await editing.getByRole('button', { name: 'Remove from the team' }).click()
    await alert(page, 'Remove Nara Prado from the team?').getByText(/go back to their queue/).waitFor()
    await alert(page, 'Remove Nara Prado from the team?').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('cancel an invitation and replace its link', async () => {
    await desk.call('POST', '/team/invitations', { name: 'Davi Lemos', email: 'davi@example.com', role: 'agent' })
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Team')
    const row = list(page, 'Invitations').getByRole('listitem').filter({ hasText: 'davi@example.com' })
    await row.getByRole('button', { name: 'New link' }).click()
    await dialog(page, 'Invitation for Davi Lemos').getByRole('button', { name: 'Done' }).click()
    await row.getByRole('button', { name: 'Copy link' }).waitFor()
    await row.getByRole('button', { name: 'Cancel the invitation of Davi Lemos' }).click()
    await alert(page, 'Cancel the invitation of Davi Lemos?').getByRole('button', { name: 'Cancel invitation' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('show a manager the pages for managers, and members of lower roles to change', async () => {
    const { data } = (await desk.call('GET', '/team')) as { data: { id: string; name: string; role: string }[] }
    const [agent] = data.filter((one) => one.role === 'agent')
    const owner = data.find((one) => one.role === 'owner')
    const { page } = await desk.page()
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await desk.signInAs(page, agent?.id ?? '')
    for (const path of ['company', 'channels', 'team', 'sectors', 'labels']) {
      requests.length = 0
      await page.goto(`${desk.url}/settings/${path}`)
      await page.getByText('You may not open this page.').waitFor()
      expect(requests.filter((one) => one === `/v1/${path}` || one.startsWith('/v1/team/') || one.startsWith('/v1/company'))).toEqual([])
      expect(await nav(page).getByRole('link', { name: /Company|Channels|Team|Sectors|Labels/ }).count()).toBe(0)
    }
    await page.goto(`${desk.url}/settings/nothing`)
    await page.getByText('There is no page at this address.').waitFor()
    await desk.call('PATCH', `/team/${agent?.id}`, { role: 'manager' })
    await page.goto(`${desk.url}/settings`)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    expect((await nav(page).getByRole('link').allTextContents()).slice(0, 3)).toEqual(['Team', 'Sectors', 'Labels'])
    expect(await page.getByRole('button', { name: `Edit ${owner?.name}` }).count()).toBe(0)
    await page.getByRole('button', { name: 'Invite a person' }).click()
    expect(await dialog(page, 'Invite a person').getByRole('combobox', { name: 'Role' }).getByRole('option').allTextContents()).toEqual(['Agent'])
    expect(await nav(page).getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/docs/')
    await desk.call('PATCH', `/team/${agent?.id}`, { role: 'agent' })
  })

  it('change the rules of attendances', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Rules')
    await page.getByRole('radio', { name: 'Only the responsible person' }).check()
    await page.getByRole('switch', { name: 'Close attendances automatically' }).click({ force: true })
    await page.getByRole('textbox', { name: 'After' }).fill('3')
    await page.getByRole('combobox', { name: 'Unit' }).selectOption('hours')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    expect(await desk.call('GET', '/company/attendance')).toMatchObject({ mode: 'restricted', auto_close: { enabled: true, after_minutes: 180 } })
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'After' }).inputValue()).toBe('3')
    await page.getByRole('radio', { name: 'Everybody' }).check()
    await page.getByRole('switch', { name: 'Close attendances automatically' }).click({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    expect(await desk.call('GET', '/company/attendance')).toMatchObject({ mode: 'liberal', auto_close: { enabled: false } })
  })
})

const paths = { company: 'Company', channels: 'Channels', 'channels/connect': 'Connect a WhatsApp number', team: 'Team', sectors: 'Sectors', labels: 'Labels', rules: 'Rules' }
/** What opens a dialog on a page, by the name of its button. */
const dialogs: Record<string, RegExp[]> = { team: [/^Invite/, /^Edit/], sectors: [/^New/, /^Edit/, /^Delete/], labels: [/^New/, /^Delete/] }

describe('the pages of the settings', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start()
    await desk.call('POST', '/team/invitations', { name: 'Davi Lemos', email: 'davi@example.com', role: 'agent' })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
    it('have no accessibility fault on a desktop', { timeout: 120_000 }, async () => {
      const { page } = await desk.page({ colorScheme })
      await desk.signIn(page)
      for (const [path, title] of Object.entries(paths)) {
        await page.goto(`${desk.url}/settings/${path}`)
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        await axe(page, path)
        for (const button of dialogs[path] ?? []) {
          await page.getByRole('main').getByRole('button', { name: button }).first().click()
          const opened = page.getByRole('dialog').or(page.getByRole('alertdialog'))
          await opened.waitFor()
          await axe(page, `${path}, ${button}`)
          await opened.getByRole('button', { name: 'Dismiss' }).click()
          await opened.waitFor({ state: 'detached' })
        }
      }
      await page.goto(`${desk.url}/settings/channels`)
      await page.getByRole('list', { name: 'Numbers' }).getByRole('link').first().click()
      await page.getByRole('region', { name: 'Status' }).waitFor()
      await axe(page, 'one number')
    })

    it('fit a phone', { timeout: 120_000 }, async () => {
      const { page } = await desk.page({ colorScheme, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
      await desk.signIn(page)
      for (const [path, title] of Object.entries(paths)) {
        await page.goto(`${desk.url}/settings/${path}`)
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        await axe(page, `${path} on a phone`)
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('main *')].every((one) => one.closest('nav') || one.getBoundingClientRect().right <= innerWidth + 1))]).toEqual([path, true])
      }
    })
  })

  it.each(['pt-BR', 'es', 'en'])('have all their texts in %s', async (language) => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await page.evaluate(async (chosen) => {
      localStorage.setItem('recado.language', chosen)
      await fetch('/v1/me/preferences', { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ language: chosen }) })
    }, language)
    for (const path of Object.keys(paths)) {
      await page.goto(`${desk.url}/settings/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getAttribute('html', 'lang')).toBe(language)
      const keys = ((await page.textContent('body')) ?? '').match(/\b(settings|company|channels|connect|team|sectors|labels|rules|checklist|common|setup)\.[a-z]\w+/g)
      expect([path, keys]).toEqual([path, null])
    }
  })
})
