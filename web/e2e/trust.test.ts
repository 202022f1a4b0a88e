import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog, hasFocus, log, open, showDetails, speak } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}

/** person lets a customer write, and returns their contact. */
async function person(from: string, name: string): Promise<string> {
  await desk.customer(from, name, `Olá, aqui é ${name}`)
  const { data } = (await desk.call(
    'GET',
    `/contacts?q=${encodeURIComponent(name)}`,
  )) as unknown as { data: { id: string }[] }
  return data[0]?.id ?? ''
}

/** choose opens the menu of a contact's personal data and selects an item, with the keyboard. */
async function choose(page: Page, item: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Personal data' })
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

it('the audit shows a change of a role, can be filtered and downloaded', async () => {
  const colleague = (await desk.call('GET', '/team')) as unknown as {
    data: { id: string; name: string; role: string }[]
  }
  const member = colleague.data.find(
    (one) => one.role === 'agent' && one.id !== desk.company.user,
  )
  if (!member) throw new Error('the demo has no agent')
  await desk.call('PATCH', `/team/${member.id}`, { role: 'manager' })
  const { page } = await desk.page()
  await desk.session(page)
  await page.goto(`${desk.url}/settings/company`)
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Audit', exact: true })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  const entry = page.getByRole('button', {
    name: `changed the role of ${member.name}: Agent → Manager`,
  })
  await entry.waitFor()
  await entry.press('Enter')
  await page
    .getByRole('table', { name: 'Changes' })
    .getByRole('row', { name: 'Role Agent Manager' })
    .waitFor()
  await axe(page, 'audit')

  const filters = page.getByRole('group', { name: 'Filters' })
  await filters
    .getByRole('combobox', { name: 'What' })
    .selectOption('People and roles')
  await entry.waitFor()
  await page
    .getByRole('button', { name: /signed in/ })
    .first()
    .waitFor({ state: 'detached' })
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const csv = readFileSync((await (await saved).path()) ?? '', 'utf8')
  expect(csv).toContain('member.updated')
  expect(csv).not.toContain('session.created')
  await filters.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('No entries match these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await entry.waitFor()
})

it('a customer opts out with SAIR, which is confirmed once, and the team lets them back in', async () => {
  const { page } = await desk.page()
  await desk.session(page)
  await page.goto(`${desk.url}/settings/channels/${desk.company.channel}`)
  const customer = page.getByRole('form', { name: 'Write as the customer' })
  await customer
    .getByRole('textbox', { name: 'Phone' })
    .fill('+55 11 95555-0303')
  await customer.getByRole('textbox', { name: 'Name' }).fill('Lia Ramos')
  const text = customer.getByRole('textbox', { name: 'Text' })
  for (const one of ['Oi', 'SAIR', 'Sair!']) {
    await text.click()
    await page.keyboard.type(one)
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('')
  }
  await customer.getByRole('link', { name: 'Open the inbox' }).click()
  await open(page, 'Lia Ramos')
  await log(page).getByText('Sair!', { exact: true }).waitFor()
  const confirmation = log(page).getByText(
    'Você não vai mais receber mensagens automáticas',
  )
  await confirmation.waitFor()
  expect(await confirmation.count()).toBe(1)

  const details = await showDetails(page)
  const badge = details.getByText(/^Opted out ·/)
  await badge.waitFor()
  await axe(page, 'opted out')
  const optedOut = details.getByRole('switch', { name: 'Opted out' })
  expect(await optedOut.isChecked()).toBe(true)
  const stored = page.waitForResponse(
    (answer) => answer.request().method() === 'PATCH',
  )
  await optedOut.click()
  await badge.waitFor({ state: 'detached' })
  await stored
  await page.reload()
  await expect.poll(() => optedOut.isChecked()).toBe(false)
  await confirmation.waitFor()
  expect(await confirmation.count()).toBe(1)

  await page.goto(`${desk.url}/settings/audit`)
  for (const sentence of [
    'Lia Ramos opted out of automatic messages',
    /^\d\d:\d\d.* let Lia Ramos receive automatic messages again/,
  ])
    await page.getByRole('button', { name: sentence }).waitFor()
})

it('the data of a person is exported to a zip file, also after a reload', async () => {
  const id = await person('5511955550301', 'Iara Nunes')
  const { page } = await desk.page()
  await desk.session(page)
  await page.goto(`${desk.url}/contacts/${id}`)
  await choose(page, 'Export data')
  const box = dialog(page, 'Export data')
  const start = box.getByRole('button', { name: 'Start export' })
  await start.waitFor()
  await axe(page, 'export')
  await start.press('Enter')
  await box.getByText('The file is ready.').waitFor()
  await page.reload()
  const saved = page.waitForEvent('download')
  await box.getByRole('link', { name: 'Download file' }).click()
  const file = readFileSync((await (await saved).path()) ?? '')
  expect(file.subarray(0, 2).toString()).toBe('PK')
  await page.goto(`${desk.url}/settings/data`)
  await page
    .getByRole('list', { name: 'Jobs' })
    .getByText('Export of personal data')
    .first()
    .waitFor()
})

it('data is kept as long as the settings say, after a preview', async () => {
  const { page } = await desk.page(phone)
  await desk.session(page)
  await page.goto(`${desk.url}/settings/data`)
  const form = page.getByRole('form', { name: 'How long data is kept' })
  await form.getByRole('combobox', { name: 'Files' }).selectOption('2 years')
  await form.getByText('Nothing would be deleted now.').waitFor()
  await axe(page, 'data on a phone')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await desk.call('GET', '/company/retention')).media_days)
    .toBe(730)
  await page.reload()
  await form.getByRole('combobox', { name: 'Files' }).waitFor()
  await expect
    .poll(() => form.getByRole('combobox', { name: 'Files' }).inputValue())
    .toBe('730')
  for (const [language, audit, data] of [
    ['pt-BR', 'Auditoria', 'Dados'],
    ['es', 'Auditoría', 'Datos'],
    ['en', 'Audit', 'Data'],
  ] as const) {
    await speak(page, language)
    for (const [path, name] of [
      ['audit', audit],
      ['data', data],
    ] as const) {
      await page.goto(`${desk.url}/settings/${path}`)
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth,
      )
      expect([language, path, wide]).toEqual([language, path, false])
    }
  }
})

it('a person is erased by typing the phone, and nothing is left in the app', async () => {
  const id = await person('5511955550302', 'Joana Prado')
  const { data } = (await desk.call(
    'GET',
    `/conversations?contact=${id}`,
  )) as unknown as { data: { id: string }[] }
  const conversation = data[0]?.id ?? ''
  const { page } = await desk.page({}, /status of 40[04]/)
  await desk.session(page)
  await page.goto(`${desk.url}/contacts/${id}`)
  await choose(page, 'Erase person…')
  const box = dialog(page, 'Erase person')
  await box.getByText('1 message', { exact: true }).waitFor()
  await box.getByText('1 open case will be closed first.').waitFor()
  const reason = box.getByRole('textbox', { name: 'Reason' })
  await hasFocus(reason)
  await axe(page, 'erase')
  await page.keyboard.type('Request of the customer')
  const number = box.getByRole('textbox', { name: 'Type the phone number' })
  await number.fill('11 95555-0399')
  const erase = box.getByRole('button', { name: 'Erase for good' })
  await erase.click()
  await box.getByText('isn’t the phone number of this contact').waitFor()
  await number.fill('11 95555-0302')
  await number.press('Enter')
  await box.getByText('The person was erased.').waitFor()
  await page.reload()
  await box.getByText('The person was erased.').waitFor()
  await box.getByRole('button', { name: 'Back to contacts' }).click()
  await page
    .getByRole('searchbox', { name: 'Search contacts' })
    .fill('Joana Prado')
  await page.getByText('No results.').waitFor()
  await page.goto(`${desk.url}/inbox/closed/${conversation}`)
  await page.getByRole('heading', { name: 'Erased person' }).waitFor()
  await page
    .getByRole('region', { name: 'Conversation', exact: true })
    .getByText('The data of this person was erased.')
    .waitFor()
  await axe(page, 'conversation of an erased person')
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
  expect(await page.content()).not.toContain('Joana')
})

it('the pages are hidden from people without the permission', async () => {
  const { data } = (await desk.call('GET', '/team')) as unknown as {
    data: { id: string; role: string }[]
  }
  const agent = data.find(({ role }) => role === 'agent')?.id ?? ''
  const { page } = await desk.page()
  await desk.signInAs(page, agent)
  await page.goto(`${desk.url}/settings/audit`)
  await page.getByText('You don’t have access to this page.').waitFor()
  const pages = page.getByRole('navigation', { name: 'Settings' })
  await pages.getByRole('link', { name: 'Profile' }).waitFor()
  for (const name of ['Audit', 'Data'])
    expect(await pages.getByRole('link', { name, exact: true }).count()).toBe(0)
  await page.goto(`${desk.url}/contacts`)
  await page.getByRole('row').nth(1).click()
  await page.getByRole('complementary', { name: 'Details' }).waitFor()
  expect(
    await page.getByRole('button', { name: 'Personal data' }).count(),
  ).toBe(0)
})
