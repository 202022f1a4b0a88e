import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Counter } from './counter'
import type { Desk } from './desk'
import { axe, log, message, showDetails } from './parts'

type Row = {
  total: number | null
  messages: number
  billable: number
  category?: string
  origin?: string
}
type Report = Row & { currency: string | null; rows: Row[] }

let counter: Counter
let desk: Desk
let channel: string
beforeAll(async () => {
  counter = await Counter.start()
  desk = counter.desk
  await counter.simulator.control('PUT', 'ladder', {
    pricing: { category: 'service', type: 'regular', billable: true },
  })
  const { data } = (await desk.call('GET', '/channels')) as unknown as {
    data: { id: string; name: string }[]
  }
  channel = data.find((one) => one.name === 'Balcão')?.id ?? ''
})
afterAll(() => counter.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const report = async (by = 'day') =>
  (await desk.call('GET', `/reports/cost?by=${by}`)) as unknown as Report

const brl = (amount: number, digits = 2) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'BRL',
    maximumFractionDigits: digits,
  }).format(amount)

/** prices stores prices, so that each test can run alone. */
const prices = () =>
  desk.call('PUT', '/company/rates', {
    currency: 'BRL',
    rates: ['marketing', 'utility', 'authentication', 'service'].map(
      (category) => ({
        country: '*',
        category,
        amount: 0.0352,
        from: '2026-01-01',
      }),
    ),
  })

/** answered returns the conversation of a customer who got an answer that has a price. */
async function answered(customer: string, name: string): Promise<string> {
  await counter.simulator.customer(customer, name, 'Bom dia')
  await counter.simulator.control('POST', 'drain')
  const { data } = (await desk.call(
    'GET',
    `/conversations?q=${encodeURIComponent(name)}`,
  )) as unknown as { data: { id: string }[] }
  const id = data[0]?.id ?? ''
  const sent = await desk.call('POST', `/conversations/${id}/messages`, {
    client_id: randomUUID(),
    text: 'Bom dia! Em que posso ajudar?',
  })
  await expect
    .poll(async () => {
      await counter.simulator.control('POST', 'drain')
      return (await desk.call('GET', `/messages/${String(sent.id)}`)).cost
    })
    .not.toBe(null)
  return id
}

const settings = async (page: Page) => {
  await page.goto(`${desk.url}/settings/costs`)
  await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor()
}
const form = (page: Page, name: string) =>
  page.getByRole('form', { name, exact: true })

it('says where costs come from, and takes prices by keyboard', async () => {
  await desk.call('PUT', '/company/rates', { rates: [] })
  const { page } = await desk.page()
  await desk.session(page)
  await page.goto(`${desk.url}/report`)
  await page
    .getByRole('navigation', { name: 'Reports' })
    .getByRole('link', { name: 'Costs' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor()
  await page.goto(`${desk.url}/report/costs?from=2020-01-01&to=2020-01-31`)
  await page.getByText('No costs in this period.').waitFor()
  await axe(page, 'no costs')
  await page.getByRole('link', { name: 'Prices and budget' }).click()

  const form_ = form(page, 'Prices')
  await form_.getByText('No prices yet.').waitFor()
  await form_.getByRole('combobox', { name: 'Currency' }).selectOption('BRL')
  const add = form_.getByRole('button', { name: 'Add price' })
  const save = form_.getByRole('button', { name: 'Save' })
  await add.click()
  const price = (n: number) =>
    form_.getByRole('group', { name: `Price ${n}`, exact: true })
  const country = price(1).getByRole('combobox', { name: 'Country' })
  await expect
    .poll(() => country.evaluate((one) => one === document.activeElement))
    .toBe(true)
  await country.selectOption('Brazil')
  await save.click()
  await price(1).getByText('Required.').waitFor()
  await form_.getByText('Check the highlighted fields.').waitFor()
  await page.keyboard.press('Escape')
  await price(1).getByRole('textbox', { name: 'Price' }).click()
  await page.keyboard.type('0,3125')
  await add.press('Enter')
  // The next category is offered.
  expect(
    await price(2).getByRole('combobox', { name: 'Category' }).inputValue(),
  ).toBe('utility')
  await price(2)
    .getByRole('combobox', { name: 'Category' })
    .selectOption('Marketing')
  await price(2).getByRole('textbox', { name: 'Price' }).fill('0.04')
  await save.click()
  await price(2).getByText('This price is already in the list.').waitFor()
  await price(2)
    .getByRole('combobox', { name: 'Country' })
    .selectOption('Other countries')
  await axe(page, 'prices')

  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Company' })
    .click()
  const leaving = page.getByRole('alertdialog')
  await leaving.getByRole('button', { name: 'Cancel' }).click()
  await save.click()
  await form_.getByText('Saved', { exact: true }).waitFor()
  expect(await desk.call('GET', '/company/rates')).toMatchObject({
    currency: 'BRL',
    rates: [
      { country: 'BR', category: 'marketing', amount: 0.3125 },
      { country: '*', category: 'marketing', amount: 0.04 },
    ],
  })
  await price(2).getByRole('button', { name: 'Remove price 2' }).click()
  await save.click()
  await expect
    .poll(
      async () =>
        ((await desk.call('GET', '/company/rates')).rates as unknown[]).length,
    )
    .toBe(1)
  await form_.getByText('Saved', { exact: true }).waitFor()
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Company' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Company' }).waitFor()
})

it('reports costs by day, category and origin, and at the message and the case', async () => {
  await prices()
  const id = await answered('5511955550201', 'Gil Moraes')
  const { page } = await desk.page({}, /^$/)
  await desk.session(page)
  await page.goto(`${desk.url}/report/costs`)
  const expected = await report()
  const total = (name: string) => page.getByRole('group', { name, exact: true })
  await total('Cost')
    .getByText(brl(expected.total ?? 0), { exact: true })
    .waitFor()
  await total('Messages')
    .getByText(String(expected.messages), { exact: true })
    .waitFor()
  await total('Billable')
    .getByText(String(expected.billable), { exact: true })
    .waitFor()
  await page.getByRole('table', { name: 'Cost per day' }).waitFor()
  await axe(page, 'costs per day')

  const by = page.getByRole('group', { name: 'Break down by' })
  for (const [name, table] of [
    ['Number', 'Cost by number'],
    ['Department', 'Cost by department'],
    ['Person', 'Cost by person'],
    ['Origin', 'Cost by origin'],
    ['Category', 'Cost by category'],
  ] as const) {
    await by.getByRole('button', { name }).press('Enter')
    await page
      .getByRole('table', { name: table })
      .getByRole('rowheader')
      .first()
      .waitFor()
  }
  const first = (await report('category')).rows.find(
    (row) => row.category === 'service',
  )
  const service = page.getByRole('row', { name: /^Service/ })
  await expect
    .poll(() => service.getByRole('cell').first().innerText())
    .toBe(brl(first?.total ?? 0))
  await page
    .getByRole('columnheader', { name: 'Category' })
    .getByRole('button')
    .press('Enter')
  await page
    .getByRole('columnheader', { name: 'Category' })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor()
  await axe(page, 'costs by category')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toMatch(/^costs-category-.+\.csv$/)
  const csv = readFileSync((await file.path()) ?? '', 'utf8')
  expect(csv).toContain('service')
  await page
    .getByRole('region', { name: 'Downloads' })
    .getByText('Saved')
    .waitFor()

  await page.goto(`${desk.url}/inbox/open/${id}`)
  const bubble = log(page)
    .getByRole('article')
    .filter({ hasText: 'Em que posso ajudar?' })
  await bubble.hover()
  await bubble.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('menuitem', { name: 'Message info' }).click()
  await page
    .getByRole('dialog', { name: 'Message info' })
    .getByText(`Service · ${brl(0.0352, 4)}`)
    .waitFor()
  await page.keyboard.press('Escape')
  await (
    await showDetails(page)
  )
    .getByRole('region', { name: 'Case', exact: true })
    .getByText(brl(0.0352))
    .waitFor()
})

it('warns of the budget, and says what is paused once it is reached', async () => {
  await prices()
  await answered('5511955550202', 'Hugo Prado')
  await desk.call('PUT', `/channels/${channel}/reception`, {
    enabled: true,
    greeting: 'Seja bem-vindo!',
  })
  const { page } = await desk.page()
  await desk.session(page)
  await settings(page)
  const budget = form(page, 'Budget')
  await budget.getByText('Spent this month').waitFor()
  await budget.getByRole('textbox', { name: 'Monthly budget' }).fill('0.01')
  await budget.getByRole('button', { name: 'Save' }).click()
  await budget.getByText(/^The budget has been reached\./).waitFor()
  await budget
    .getByRole('progressbar', { name: 'Spent this month' })
    .and(page.locator('[aria-valuenow="100"]'))
    .waitFor()
  const banner = page
    .getByRole('status')
    .filter({ hasText: 'Automatic messages and surveys are paused.' })
    .filter({ has: page.getByRole('link', { name: 'See costs' }) })
  await banner.waitFor()
  await axe(page, 'budget reached')

  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page
    .getByRole('list', { name: 'Notifications' })
    .getByRole('link', { name: /The message budget is running out/ })
    .click()
  await page.waitForURL(/\/report\/costs/)
  await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor()
  await banner.getByRole('button', { name: 'Dismiss' }).click()
  await banner.waitFor({ state: 'detached' })

  // The customer doesn't get the greeting, and the team sees why. People can still write.
  await page.goto(`${desk.url}/`)
  await counter.write(page, '5511955550203', 'Iara Neves', 'Olá')
  expect(await banner.count()).toBe(0)
  await log(page)
    .getByRole('article')
    .filter({ hasText: 'Seja bem-vindo!' })
    .getByText(/this month’s message budget has been reached/)
    .waitFor()
  await message(page).fill('Oi, Iara!')
  await page.keyboard.press('Enter')
  await log(page)
    .getByRole('article', { name: /(Sent|Delivered|Read)$/ })
    .filter({ hasText: 'Oi, Iara!' })
    .waitFor()
  await axe(page, 'automatic message without a budget')
})

it('fits a phone', async () => {
  await prices()
  await answered('5511955550204', 'Joana Reis')
  const { page } = await desk.page({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await desk.session(page)
  const width = () => page.evaluate(() => document.body.scrollWidth)
  await page.goto(`${desk.url}/report/costs?by=user`)
  await page.getByRole('table', { name: 'Cost by person' }).waitFor()
  await axe(page, 'costs on a phone')
  expect(await width()).toBeLessThanOrEqual(390)
  await settings(page)
  await form(page, 'Prices').getByRole('group', { name: 'Price 4' }).waitFor()
  await axe(page, 'prices on a phone')
  expect(await width()).toBeLessThanOrEqual(390)
})
