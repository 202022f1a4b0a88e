import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { axe, dialog } from './parts'

const list = (page: Page, name: string) =>
  page.getByRole('list', { name, exact: true })
const alert = (page: Page, name: string) =>
  page.getByRole('alertdialog', { name })
type Listed = { data: Record<string, unknown>[] }

describe.each(sqliteOnly)('opening hours and distribution, %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('a manager creates hours with a break and holidays, assigns them to a department, and sees who gets the next case', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/hours\//)
    await desk.signIn(page)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Settings' })
      .click()
    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Hours', exact: true })
      .click()
    await page.getByRole('link', { name: 'New opening hours' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Loja')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Sao_Paulo')
    await page.getByRole('option', { name: 'America/Sao_Paulo' }).click()
    const monday = page.getByRole('group', { name: 'Monday' })
    await monday.getByRole('button', { name: 'Add a break: Monday' }).click()
    await expect
      .poll(() => monday.getByLabel('Monday, period 1, to').inputValue())
      .toBe('12:00')
    await monday.getByLabel('Monday, period 2, from').fill('11:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await monday.getByText('This period overlaps another one.').waitFor()
    await expect
      .poll(() =>
        monday
          .getByLabel('Monday, period 2, from')
          .getAttribute('aria-invalid'),
      )
      .toBe('true')
    await monday
      .getByRole('textbox', { name: 'Monday, period 2, from' })
      .fill('13')
    await monday.getByRole('button', { name: 'Copy Monday' }).click()
    await page.getByRole('menuitem', { name: 'Copy to weekdays' }).click()
    await page
      .getByRole('group', { name: 'Saturday' })
      .getByText('Closed')
      .waitFor()

    await page
      .getByRole('button', { name: 'Add Brazilian national holidays' })
      .click()
    const holidays = dialog(page, 'Brazilian national holidays')
    await holidays
      .getByRole('combobox', { name: 'Year' })
      .selectOption(String(new Date().getFullYear() + 1))
    await expect
      .poll(() =>
        holidays.getByRole('checkbox', { name: /Carnival Monday/ }).isChecked(),
      )
      .toBe(false)
    await holidays.getByRole('checkbox', { name: /Corpus Christi/ }).check()
    await holidays.getByRole('button', { name: 'Add 11 holidays' }).click()
    await list(page, 'Exceptions').getByText('Christmas').waitFor()
    await page.getByRole('button', { name: 'Add an exception' }).click()
    const exception = dialog(page, 'New exception')
    await exception.getByLabel('Date', { exact: true }).fill('2030-12-24')
    await exception.getByRole('radio', { name: 'Other hours' }).check()
    await exception.getByLabel('This day, period 1, to').fill('12:00')
    await exception.getByRole('button', { name: 'Add', exact: true }).click()
    await list(page, 'Exceptions')
      .getByText('Tuesday, December 24, 2030')
      .waitFor()
    await axe(page, 'the editor of opening hours')

    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Labels' })
      .click()
    await alert(page, 'Leave without saving?')
      .getByRole('button', { name: 'Keep editing' })
      .click()
    await page.getByRole('button', { name: 'Save' }).click()
    const row = list(page, 'Hours')
      .getByRole('listitem')
      .filter({ hasText: 'Loja' })
    await row
      .getByText('Mon–Fri 08:00–12:00, 13:00–18:00 · 12 exceptions')
      .waitFor()
    await row.getByText(/^(Open|Closed) now$/).waitFor()
    const {
      data: [made],
    } = (await desk.call('GET', '/hours')) as Listed
    expect(made).toMatchObject({
      name: 'Loja',
      timezone: 'America/Sao_Paulo',
      weekly: [
        {
          days: ['mon', 'tue', 'wed', 'thu', 'fri'],
          from: '08:00',
          to: '12:00',
        },
        { from: '13:00', to: '18:00' },
      ],
    })
    expect(made?.exceptions).toContainEqual({
      date: '2030-12-24',
      closed: false,
      periods: [{ from: '08:00', to: '12:00' }],
    })
    expect(made?.exceptions).toContainEqual({
      date: '--12-25',
      closed: true,
      periods: [],
    })

    await page.goto(`${desk.url}/settings/sectors`)
    await list(page, 'Departments')
      .getByRole('listitem')
      .filter({ hasText: 'Vendas' })
      .getByRole('button', { name: 'Edit Vendas' })
      .click()
    const sector = dialog(page, 'Edit department')
    await sector
      .getByRole('combobox', { name: 'Opening hours' })
      .selectOption('Loja')
    await sector
      .getByRole('combobox', { name: 'Distribution' })
      .selectOption('Round robin')
    await sector.getByRole('textbox', { name: 'Capacity' }).fill('4')
    await sector
      .getByRole('switch', { name: 'Prefer the last person' })
      .click({ force: true })
    await sector
      .getByRole('textbox', { name: 'Return unanswered cases after (minutes)' })
      .fill('15')
    await axe(page, 'the department dialog')
    await sector.getByRole('button', { name: 'Save' }).click()
    await sector.waitFor({ state: 'detached' })
    const { data: sectors } = (await desk.call('GET', '/sectors')) as Listed
    const vendas = sectors.find((one) => one.name === 'Vendas')
    expect(vendas).toMatchObject({
      hours_id: made?.id,
      distribution: {
        mode: 'round_robin',
        capacity: 4,
        prefer_last: true,
        return_after_minutes: 15,
      },
    })

    await page.goto(`${desk.url}/settings/hours`)
    await row.getByText('In use by: the department Vendas').waitFor()
    await row.getByRole('button', { name: 'Delete Loja' }).click()
    await alert(page, 'Delete the opening hours Loja?')
      .getByRole('button', { name: 'Delete' })
      .click()
    await alert(page, 'Delete the opening hours Loja?')
      .getByText('Still in use by: the department Vendas.')
      .waitFor()

    // Independent of the current time: the hours are open all week, without exceptions, and the owner is a member.
    await desk.call('PATCH', `/hours/${String(made?.id)}`, {
      weekly: [
        {
          days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
          from: '00:00',
          to: '24:00',
        },
      ],
      exceptions: [],
    })
    await desk.call('PATCH', `/sectors/${String(vendas?.id)}`, {
      member_ids: [desk.company.user, desk.colleague],
    })
    await desk.call('PATCH', `/team/${desk.company.user}`, { capacity: 100 })
    await page.goto(`${desk.url}/settings/sectors`)
    await page
      .getByRole('link', { name: 'Who gets the next case in Vendas' })
      .click()
    const { data: team } = (await desk.call('GET', '/team')) as Listed
    const nameOf = (id: string) =>
      String(team.find((one) => one.id === id)?.name)
    const table = page.getByRole('table', { name: 'Members' })
    await table
      .getByRole('row', {
        name: new RegExp(`${nameOf(desk.company.user)} Gets the next case`),
      })
      .waitFor()
    await table
      .getByRole('row', {
        name: new RegExp(`${nameOf(desk.colleague)} Offline`),
      })
      .waitFor()
    await page
      .getByRole('status')
      .getByText(
        'Has waited longest for a case among those online and below capacity.',
      )
      .waitFor()
    await desk.call('PATCH', `/sectors/${String(vendas?.id)}`, {
      member_ids: [desk.colleague],
    })
    await page.getByText('No member is online.', { exact: false }).waitFor()
    await axe(page, 'who gets the next case')
  })

  it('the company, a number and a person have their own as well', async () => {
    await desk.call('POST', '/hours', { name: 'Plantão' })
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/settings/rules`)
    await page
      .getByRole('combobox', { name: 'Opening hours' })
      .selectOption('Plantão')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await page.goto(`${desk.url}/settings/channels/${desk.company.channel}`)
    await page
      .getByRole('combobox', { name: 'Opening hours' })
      .selectOption('Plantão')
    await page
      .getByRole('region', { name: 'Opening hours' })
      .getByText('Saved')
      .waitFor()
    await page.goto(`${desk.url}/settings/hours`)
    await list(page, 'Hours')
      .getByText(/^In use by: the company, the number /)
      .waitFor()
    const { data: team } = (await desk.call('GET', '/team')) as Listed
    const name = String(team.find((one) => one.id === desk.colleague)?.name)
    await page.goto(`${desk.url}/settings/team`)
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    await dialog(page, `Edit ${name}`)
      .getByRole('textbox', { name: 'Capacity' })
      .fill('3')
    await dialog(page, `Edit ${name}`)
      .getByRole('button', { name: 'Save' })
      .click()
    await dialog(page, `Edit ${name}`).waitFor({ state: 'detached' })
    const { data: changed } = (await desk.call('GET', '/team')) as Listed
    expect(changed.find((one) => one.id === desk.colleague)?.capacity).toBe(3)
  })
})
