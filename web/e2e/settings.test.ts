import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { axe, dialog, open, row, search } from './parts'

const nav = (page: Page) => page.getByRole('navigation', { name: 'Settings' })
const list = (page: Page, name: string) =>
  page.getByRole('list', { name, exact: true })
const alert = (page: Page, name: string) =>
  page.getByRole('alertdialog', { name })

/** settings opens a settings page from the navigation. */
async function settings(page: Page, name: string): Promise<void> {
  if (!(await nav(page).isVisible()))
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Settings' })
      .click()
  await nav(page).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe.each(sqliteOnly)('the settings, %s', (engine) => {
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
    await page
      .getByRole('textbox', { name: 'Company name' })
      .fill('Padaria do Centro')
    await page.getByRole('combobox', { name: 'Time zone' }).click()
    await page.getByRole('option', { name: 'America/Sao_Paulo' }).waitFor()
    await page.getByRole('combobox', { name: 'Time zone' }).fill('São Paulo')
    await page.getByRole('option', { name: 'America/Sao_Paulo' }).waitFor()
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Manaus')
    await page.getByRole('option', { name: 'America/Manaus' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await expect
      .poll(() => desk.call('GET', '/company'))
      .toMatchObject({ name: 'Padaria do Centro', timezone: 'America/Manaus' })
    await page.getByRole('textbox', { name: 'Company name' }).fill('   ')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() =>
        page
          .getByRole('textbox', { name: 'Company name' })
          .getAttribute('aria-invalid'),
      )
      .toBe('true')
    await page.reload()
    await expect
      .poll(() =>
        page.getByRole('textbox', { name: 'Company name' }).inputValue(),
      )
      .toBe('Padaria do Centro')
  })

  it('confirm a viewer whose password someone else reset', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    const { private_channel: channel, user: owner } = desk.company
    const viewer = (
      await desk.call('POST', '/team', {
        name: 'Noemi Prado',
        email: 'noemi@padaria.example',
        role: 'agent',
      })
    ).id as string
    const saved = await page.request.patch(
      `${desk.url}/v1/channels/${channel}`,
      { headers: { Origin: desk.url }, data: { viewers: [owner, viewer] } },
    )
    expect(saved.status()).toBe(200)
    const colleague = await desk.page()
    await desk.signInAs(colleague.page, viewer)
    const pending = async () => {
      const all = (await (
        await page.request.get(`${desk.url}/v1/private-channels`)
      ).json()) as {
        id: string
        viewers: { id: string; pending?: boolean }[]
      }[]
      return all
        .find((one) => one.id === channel)
        ?.viewers.find((one) => one.id === viewer)?.pending
    }
    expect(await pending()).toBe(true)
    await page.goto(`${desk.url}/settings/channels/${channel}`)
    const seen = page.getByRole('region', { name: 'Who can see it' })
    await seen.getByText('reset the password of Noemi Prado').waitFor()
    await axe(page, 'a viewer to confirm')
    await seen.getByRole('button', { name: 'Confirm' }).click()
    await seen.getByText('Saved').waitFor()
    await expect
      .poll(() => seen.getByText('Waiting for confirmation').count())
      .toBe(0)
    expect(await pending()).toBeUndefined()
  })

  it('make a number private, public again, and archive it', async () => {
    const branch = (
      await desk.call('POST', '/channels', {
        name: 'Filial',
        provider: 'sandbox',
        phone: '+5511955557010',
      })
    ).id as string
    const { conversation } = (await desk.call(
      'POST',
      `/channels/${branch}/simulate`,
      {
        from: '+5511955557011',
        name: 'Nadir Campos',
        text: 'A filial abre hoje?',
      },
    )) as { conversation: string }
    const { page } = await desk.page()
    await desk.signIn(page)
    // The colleague has the conversation open when it becomes private.
    const { page: colleague } = await desk.page({}, /status of 404 .*activity$/)
    await desk.signInAs(colleague, desk.colleague)
    await open(colleague, 'Nadir Campos')
    const found = async () => {
      await search(colleague, 'Nadir')
      return row(colleague, 'Nadir Campos').count()
    }

    await settings(page, 'Channels')
    await page.getByRole('link', { name: /Filial/ }).click()
    const seen = page.getByRole('region', { name: 'Who can see it' })
    await seen.getByRole('switch', { name: 'Private number' }).check()
    await seen
      .getByText('Once you save, only these people can see the number')
      .waitFor()
    await axe(page, 'making a number private')
    await seen.getByRole('button', { name: 'Save' }).click()
    await seen.getByText('Saved').waitFor()
    await colleague.goto(`${desk.url}/inbox/open`)
    expect(await found()).toBe(0)
    await page.reload()
    await expect
      .poll(() =>
        seen.getByRole('switch', { name: 'Private number' }).isChecked(),
      )
      .toBe(true)

    const publish = async (answer: string) => {
      await seen.getByRole('switch', { name: 'Private number' }).uncheck()
      await seen.getByRole('button', { name: 'Save' }).click()
      await alert(page, 'Make this number public?')
        .getByRole('button', { name: answer })
        .click()
      await alert(page, 'Make this number public?').waitFor({
        state: 'detached',
      })
    }
    await publish('Cancel')
    await page.reload()
    await expect
      .poll(() =>
        seen.getByRole('switch', { name: 'Private number' }).isChecked(),
      )
      .toBe(true)
    await publish('Make public')
    await expect
      .poll(() =>
        desk
          .call('GET', '/channels')
          .then((all) =>
            (all.data as { id: string }[]).some((one) => one.id === branch),
          ),
      )
      .toBe(true)
    await colleague.reload()
    await expect.poll(found).toBe(1)

    await page.getByRole('button', { name: 'Archive number' }).click()
    await alert(page, 'Archive Filial?')
      .getByRole('button', { name: 'Archive number' })
      .click()
    await page.getByText('Number archived.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: /Filial/ }).count())
      .toBe(0)
    await page.goto(`${desk.url}/inbox/open/${conversation}`)
    await page
      .getByRole('log', { name: 'Messages' })
      .getByText('A filial abre hoje?')
      .waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: 'This number is archived.' })
      .waitFor()
  })

  it('create, edit and delete a label', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/labels$/)
    await desk.signIn(page)
    await settings(page, 'Labels')
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'New label' }).click()
      await dialog(page, 'New label')
        .getByRole('textbox', { name: 'Name' })
        .fill(name)
      await dialog(page, 'New label')
        .getByRole('radio', { name: 'Blue' })
        .check()
      await dialog(page, 'New label')
        .getByRole('button', { name: 'Save' })
        .click()
    }
    await create('Zona Norte')
    await list(page, 'Labels').getByText('Zona Norte').waitFor()
    await create('zona norte')
    await dialog(page, 'New label')
      .getByText('This name is already in use.')
      .waitFor()
    await dialog(page, 'New label')
      .getByRole('button', { name: 'Dismiss' })
      .click()
    await page.getByRole('button', { name: 'Edit Zona Norte' }).click()
    await dialog(page, 'Edit label')
      .getByRole('textbox', { name: 'Name' })
      .fill('Zona Sul')
    await dialog(page, 'Edit label')
      .getByRole('button', { name: 'Save' })
      .click()
    await list(page, 'Labels').getByText('Zona Sul').waitFor()
    const { data } = (await desk.call('GET', '/labels')) as {
      data: { name: string; color: string }[]
    }
    expect(data.find((label) => label.name === 'Zona Sul')?.color).toBe(
      '#1565c0',
    )
    await page.getByRole('button', { name: 'Delete Zona Sul' }).click()
    await alert(page, 'Delete the label Zona Sul?')
      .getByText(/contacts, conversations and cards/)
      .waitFor()
    await alert(page, 'Delete the label Zona Sul?')
      .getByRole('button', { name: 'Delete' })
      .click()
    await list(page, 'Labels')
      .getByText('Zona Sul')
      .waitFor({ state: 'detached' })
  })

  it('create, edit and delete a department with members', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Departments')
    await page.getByRole('button', { name: 'New department' }).click()
    const creating = dialog(page, 'New department')
    await creating
      .getByRole('textbox', { name: 'Name', exact: true })
      .fill('Compras')
    await creating.getByRole('combobox', { name: 'Members' }).click()
    const first = page
      .getByRole('listbox', { name: 'Members' })
      .getByRole('option')
      .first()
    const member = (await first.textContent()) ?? ''
    await first.click()
    await page.keyboard.press('Tab')
    await creating.getByRole('button', { name: 'Save' }).click()
    const row = list(page, 'Departments')
      .getByRole('listitem')
      .filter({ hasText: 'Compras' })
    await row.getByText(member).waitFor()
    await row.getByRole('button', { name: 'Edit Compras' }).click()
    await dialog(page, 'Edit department')
      .getByRole('textbox', { name: 'Name', exact: true })
      .fill('Compras e estoque')
    await dialog(page, 'Edit department')
      .getByRole('button', { name: 'Save' })
      .click()
    await page.getByRole('button', { name: 'Delete Compras e estoque' }).click()
    await alert(page, 'Delete the department Compras e estoque?')
      .getByRole('button', { name: 'Delete' })
      .click()
    await row.waitFor({ state: 'detached' })
  })

  it('invite a person who accepts, and edit, help and remove a member', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/invitations$/)
    await desk.signIn(page)
    await settings(page, 'Team')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const inviting = dialog(page, 'Invite a person')
    await inviting.getByRole('textbox', { name: 'Name' }).fill('Nara Prado')
    await inviting
      .getByRole('textbox', { name: 'E-mail' })
      .fill(desk.demo.login.email)
    await inviting.getByRole('combobox', { name: 'Role' }).selectOption('Agent')
    await inviting
      .getByRole('combobox', { name: 'Can see' })
      .selectOption('Own departments')
    await inviting.getByRole('combobox', { name: 'Departments' }).click()
    await page
      .getByRole('listbox', { name: 'Departments' })
      .getByRole('option', { name: 'Vendas' })
      .click()
    await page.keyboard.press('Tab')
    await inviting.getByRole('button', { name: 'Create invitation' }).click()
    await inviting
      .getByText('Someone else on your team already uses this address.')
      .waitFor()
    await inviting
      .getByRole('textbox', { name: 'E-mail' })
      .fill('nara@example.com')
    await inviting.getByRole('button', { name: 'Create invitation' }).click()
    const made = dialog(page, 'Invitation for Nara Prado')
    await made.getByRole('button', { name: 'Copy link' }).click()
    const link = await made.getByRole('textbox', { name: 'Link' }).inputValue()
    await made.getByRole('button', { name: 'Done' }).click()
    await list(page, 'Invitations').getByText('nara@example.com').waitFor()

    const { page: hers } = await desk.page({}, /status of 401/)
    await hers.goto(link)
    const welcome = hers.getByRole('main', { name: 'Welcome' })
    await welcome
      .getByRole('textbox', { name: 'Password' })
      .fill('correct horse battery')
    await welcome.getByRole('button', { name: 'Continue' }).click()
    await hers.getByRole('navigation', { name: 'Views' }).waitFor()

    await page.reload()
    const row = list(page, 'Team')
      .getByRole('listitem')
      .filter({ hasText: 'nara@example.com' })
    await row.getByText('Agent · Own departments · Vendas').waitFor()
    await row.getByText('online').waitFor()
    await list(page, 'Invitations')
      .getByText(/^Accepted/)
      .waitFor()
    await row.getByRole('button', { name: 'Edit Nara Prado' }).click()
    const editing = dialog(page, 'Edit Nara Prado')
    await editing.getByRole('button', { name: 'Reset link' }).click()
    await expect
      .poll(() => editing.getByRole('textbox', { name: 'Link' }).inputValue())
      .toMatch(/#\/welcome\?token=/)
    await editing.getByRole('button', { name: 'Copy link' }).click()
    await editing.getByRole('button', { name: 'Sign out everywhere' }).click()
    await editing
      .getByText('Nara Prado is signed out on all devices.')
      .waitFor()
    await hers.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await editing
      .getByRole('combobox', { name: 'Role' })
      .selectOption('Manager')
    await editing.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Manager · Own departments · Vendas').waitFor()
    await row.getByRole('button', { name: 'Edit Nara Prado' }).click()
    await editing.getByRole('button', { name: 'Remove from team' }).click()
    await alert(page, 'Remove Nara Prado from the team?')
      .getByText(/return to the queue/)
      .waitFor()
    await alert(page, 'Remove Nara Prado from the team?')
      .getByRole('button', { name: 'Remove' })
      .click()
    await row.waitFor({ state: 'detached' })
  })

  it('cancel an invitation and replace its link', async () => {
    await desk.call('POST', '/team/invitations', {
      name: 'Davi Lemos',
      email: 'davi@example.com',
      role: 'agent',
    })
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Team')
    const row = list(page, 'Invitations')
      .getByRole('listitem')
      .filter({ hasText: 'davi@example.com' })
    await row.getByRole('button', { name: 'New link' }).click()
    await dialog(page, 'Invitation for Davi Lemos')
      .getByRole('button', { name: 'Done' })
      .click()
    await row.getByRole('button', { name: 'Copy link' }).waitFor()
    await row
      .getByRole('button', { name: 'Cancel Davi Lemos’s invitation' })
      .click()
    await alert(page, 'Cancel Davi Lemos’s invitation?')
      .getByRole('button', { name: 'Cancel invitation' })
      .click()
    await row.waitFor({ state: 'detached' })
  })

  it('show managers their pages and the members they can edit', async () => {
    const { data } = (await desk.call('GET', '/team')) as {
      data: { id: string; name: string; role: string }[]
    }
    const [agent] = data.filter((one) => one.role === 'agent')
    const owner = data.find((one) => one.role === 'owner')
    const { page } = await desk.page()
    const requests: string[] = []
    page.on('request', (request) =>
      requests.push(new URL(request.url()).pathname),
    )
    await desk.signInAs(page, agent?.id ?? '')
    for (const path of [
      'company',
      'channels',
      'channels/connect',
      'team',
      'sectors',
      'labels',
      'rules',
    ]) {
      requests.length = 0
      await page.goto(`${desk.url}/settings/${path}`)
      await page.getByText('You don’t have access to this page.').waitFor()
      expect(
        requests.filter(
          (one) =>
            one === `/v1/${path}` ||
            one.startsWith('/v1/team/') ||
            one.startsWith('/v1/company'),
        ),
      ).toEqual([])
      await expect
        .poll(() =>
          nav(page)
            .getByRole('link', {
              name: /Company|Channels|Team|Departments|Labels|Rules|API reference/,
            })
            .count(),
        )
        .toBe(0)
    }
    await page.goto(`${desk.url}/settings/nothing`)
    await page.getByText('Page not found.').waitFor()
    await desk.call('PATCH', `/team/${agent?.id}`, { role: 'manager' })
    await page.goto(`${desk.url}/settings`)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    expect(
      (await nav(page).getByRole('link').allTextContents()).slice(0, 3),
    ).toEqual(['Team', 'Departments', 'Labels'])
    await expect
      .poll(() =>
        page.getByRole('button', { name: `Edit ${owner?.name}` }).count(),
      )
      .toBe(0)
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await expect
      .poll(() =>
        dialog(page, 'Invite a person')
          .getByRole('combobox', { name: 'Role' })
          .getByRole('option')
          .allTextContents(),
      )
      .toEqual(['Agent'])
    await expect
      .poll(() =>
        nav(page).getByRole('link', { name: 'API reference' }).count(),
      )
      .toBe(0)
    await desk.call('PATCH', `/team/${agent?.id}`, { role: 'agent' })
  })

  it("manage canned replies: the team's by managers, personal ones by everyone", async () => {
    const { page } = await desk.page({}, /status of (400|409) .*\/replies$/)
    await desk.signIn(page)
    await settings(page, 'Canned replies')
    await page.getByRole('button', { name: 'New reply' }).click()
    const creating = dialog(page, 'New reply')
    await creating.getByRole('textbox', { name: 'Title' }).fill('Horário')
    await creating
      .getByRole('textbox', { name: 'Shortcut' })
      .fill('Horário Loja')
    await expect
      .poll(() =>
        creating.getByRole('textbox', { name: 'Shortcut' }).inputValue(),
      )
      .toBe('horario-loja')
    await creating.getByRole('textbox', { name: 'Text' }).fill('Olá ')
    await creating.getByRole('button', { name: 'First name' }).click()
    await creating
      .getByRole('combobox', { name: 'For' })
      .selectOption('The whole team')
    await creating.getByRole('button', { name: 'Save' }).click()
    await list(page, 'Team replies')
      .getByText('Olá {{contact.first_name}}')
      .waitFor()

    const { data } = (await desk.call('GET', '/team')) as {
      data: { id: string; role: string }[]
    }
    const { page: hers } = await desk.page({}, /status of 409 .*\/replies$/)
    await desk.signInAs(
      hers,
      data.find((one) => one.role === 'agent')?.id ?? '',
    )
    await hers.goto(`${desk.url}/settings/replies`)
    await list(hers, 'Team replies').getByText('Horário').waitFor()
    await expect
      .poll(() => hers.getByRole('button', { name: 'Edit Horário' }).count())
      .toBe(0)
    const create = async () => {
      await hers.getByRole('button', { name: 'New reply' }).click()
      await dialog(hers, 'New reply')
        .getByRole('textbox', { name: 'Title' })
        .fill('Até logo')
      await dialog(hers, 'New reply')
        .getByRole('textbox', { name: 'Shortcut' })
        .fill('tchau')
      await dialog(hers, 'New reply')
        .getByRole('textbox', { name: 'Text' })
        .fill('Até logo!')
      await dialog(hers, 'New reply')
        .getByRole('button', { name: 'Save' })
        .click()
    }
    await create()
    await list(hers, 'Your replies').getByText('Até logo!').waitFor()
    await create()
    await dialog(hers, 'New reply')
      .getByText('This name is already in use.')
      .waitFor()
    await dialog(hers, 'New reply')
      .getByRole('button', { name: 'Dismiss' })
      .click()
    await hers.getByRole('button', { name: 'Delete Até logo' }).click()
    await alert(hers, 'Delete the reply Até logo?')
      .getByRole('button', { name: 'Delete' })
      .click()
    await list(hers, 'Your replies').waitFor({ state: 'detached' })
  })

  it('change the rules for cases', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Rules')
    await expect
      .poll(() =>
        nav(page)
          .getByRole('link', { name: 'API reference' })
          .getAttribute('href'),
      )
      .toBe('/docs/')
    await page.getByRole('radio', { name: 'Only the assigned person' }).check()
    await page
      .getByRole('switch', { name: 'Close cases automatically' })
      .click({ force: true })
    await page.getByRole('textbox', { name: 'After' }).fill('3')
    await page.getByRole('combobox', { name: 'Unit' }).selectOption('hours')
    await page
      .getByRole('switch', { name: 'Keep messages that customers delete' })
      .click({ force: true })
    await page
      .getByRole('textbox', { name: 'Grace period (minutes)' })
      .fill('25')
    await page
      .getByRole('switch', { name: 'Also for customers' })
      .click({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await expect
      .poll(() => desk.call('GET', '/company/attendance'))
      .toMatchObject({
        mode: 'restricted',
        keep_revoked: true,
        grace_minutes: 25,
        grace_for_customers: true,
        auto_close: { enabled: true, after_minutes: 180 },
      })
    await page.reload()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'After' }).inputValue())
      .toBe('3')
    await page.getByRole('radio', { name: 'Everyone' }).check()
    await page
      .getByRole('switch', { name: 'Close cases automatically' })
      .click({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await expect
      .poll(() => desk.call('GET', '/company/attendance'))
      .toMatchObject({ mode: 'liberal', auto_close: { enabled: false } })
  })
})
