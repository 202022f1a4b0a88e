import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe } from './parts'

type Times = {
  count: number
  average_seconds: number | null
  median_seconds: number | null
  p90_seconds: number | null
}
type Figures = {
  opened: number
  closed: number
  first_response: Times
  resolution: Times
}
type Named = Figures & {
  user?: { name: string } | null
  sector?: { name: string } | null
  date?: string
}
type Report = {
  from: string
  to: string
  totals: Figures
  by_person: Named[]
  by_sector: Named[]
  by_reason: Named[]
  by_channel: Named[]
  by_label: Named[]
  by_day: Named[]
  by_hour: number[][]
  previous: { totals: Figures }
}

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
  for (const n of [1, 2, 3]) {
    const from = `+551195555400${n}`
    const message = await desk.customer(from, `Report ${n}`, 'Olá')
    const conversation = String(message.conversation)
    await desk.call('POST', `/conversations/${conversation}/messages`, {
      client_id: randomUUID(),
      text: 'Bom dia',
    })
    if (n < 3)
      await desk.call('POST', `/conversations/${conversation}/attendance/close`)
  }
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

/** span formats a duration as the page does. */
function span(seconds: number | null): string {
  if (seconds === null) return '–'
  const minutes = Math.round(seconds / 60)
  if (seconds > 0 && seconds < 60) return `${Math.ceil(seconds)} s`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60)
    return minutes % 60 === 0
      ? `${minutes / 60} h`
      : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  const hours = Math.round(minutes / 60)
  return hours % 24 === 0
    ? `${hours / 24} d`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const fetched = async (query = '') =>
  (await desk.call('GET', `/reports/attendance${query}`)) as unknown as Report

async function open(page: Page): Promise<void> {
  await page.goto(`${desk.url}/report`)
  await page.getByRole('heading', { name: 'Report', level: 1 }).waitFor()
  await page.getByRole('table', { name: 'By person' }).waitFor()
}

const total = (page: Page, name: string) =>
  page.getByRole('group', { name, exact: true })
const cells = async (page: Page, table: string) => {
  const rows = await page
    .getByRole('table', { name: table })
    .getByRole('row')
    .all()
  return Promise.all(
    rows
      .slice(1)
      .map(async (row) => [
        ...(await row.getByRole('rowheader').allInnerTexts()),
        ...(await row.getByRole('cell').allInnerTexts()),
      ]),
  )
}
const line = (name: string, one: Figures) => [
  name,
  String(one.opened),
  String(one.closed),
  span(one.first_response.average_seconds),
  span(one.resolution.average_seconds),
]

it("shows the API's figures for the last 30 days, a department and a person", async () => {
  const { page, context } = await desk.page()
  await desk.session(page)
  await open(page)
  const report = await fetched()
  expect(report.totals.opened).toBeGreaterThanOrEqual(3)
  await expect
    .poll(() =>
      page
        .getByRole('textbox', { name: 'From' })
        .or(page.getByLabel('From'))
        .first()
        .inputValue(),
    )
    .toBe(report.from)
  await expect
    .poll(() => page.getByLabel('To', { exact: true }).inputValue())
    .toBe(report.to)
  await total(page, 'Opened')
    .getByText(String(report.totals.opened), { exact: true })
    .waitFor()
  await total(page, 'Closed')
    .getByText(String(report.totals.closed), { exact: true })
    .waitFor()
  await total(page, 'First response')
    .getByText(span(report.totals.first_response.median_seconds), {
      exact: true,
    })
    .waitFor()
  await total(page, 'Resolution')
    .getByText(span(report.totals.resolution.median_seconds), { exact: true })
    .waitFor()
  const sorted = (rows: string[][]) =>
    [...rows].sort((a, b) => String(a).localeCompare(String(b)))
  expect(sorted(await cells(page, 'By person'))).toEqual(
    sorted(
      report.by_person.map((one) => line(one.user?.name ?? 'Nobody', one)),
    ),
  )
  expect(sorted(await cells(page, 'By department'))).toEqual(
    sorted(
      report.by_sector.map((one) =>
        line(one.sector?.name ?? 'No department', one),
      ),
    ),
  )

  await page
    .getByRole('button', { name: 'Show opened and closed as table' })
    .click()
  await expect
    .poll(async () =>
      (await cells(page, 'Opened and closed per day')).map(
        ([, opened, closed]) => [opened, closed],
      ),
    )
    .toEqual(
      report.by_day.map((one) => [String(one.opened), String(one.closed)]),
    )
  await page
    .getByRole('button', { name: 'Show first response as table' })
    .click()
  await expect
    .poll(async () =>
      (await cells(page, 'First response per day')).map((row) => row.slice(1)),
    )
    .toEqual(
      report.by_day.map(({ first_response: one }) => [
        String(one.count),
        span(one.average_seconds),
        span(one.median_seconds),
        span(one.p90_seconds),
      ]),
    )

  await page
    .getByRole('combobox', { name: 'Person' })
    .selectOption(desk.company.user)
  const mine = await fetched(`?user=${desk.company.user}`)
  await total(page, 'Opened')
    .getByText(String(mine.totals.opened), { exact: true })
    .waitFor()
  await expect.poll(() => page.url()).toContain(`user=${desk.company.user}`)
  await page.getByRole('combobox', { name: 'Person' }).selectOption('')
  await page
    .getByRole('combobox', { name: 'Department' })
    .selectOption(desk.company.sectors[0] ?? '')
  const sector = await fetched(`?sector=${desk.company.sectors[0] ?? ''}`)
  await total(page, 'Opened')
    .getByText(String(sector.totals.opened), { exact: true })
    .waitFor()
  await context.close()
})

it('offers presets and rejects invalid periods', async () => {
  const { page, context } = await desk.page()
  await desk.session(page)
  await open(page)
  const { to } = await fetched()
  const from = page.getByLabel('From')
  const ago = (days: number) =>
    new Date(Date.parse(`${to}T00:00:00Z`) - days * 86_400_000)
      .toISOString()
      .slice(0, 10)
  for (const [name, first] of [
    ['Today', to],
    ['7 days', ago(6)],
    ['30 days', ago(29)],
    ['This month', `${to.slice(0, 8)}01`],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(() => from.inputValue()).toBe(first)
    await expect
      .poll(() =>
        page
          .getByRole('button', { name, exact: true })
          .getAttribute('aria-pressed'),
      )
      .toBe('true')
  }
  await page.getByRole('button', { name: 'Today', exact: true }).click()
  const today = await fetched(`?from=${to}&to=${to}`)
  await total(page, 'Opened')
    .getByText(String(today.totals.opened), { exact: true })
    .waitFor()
  await from.fill(ago(-5))
  await page.getByText('The start date must be before the end date.').waitFor()
  await context.close()
})

it('sorts the tables by every column', async () => {
  const { page, context } = await desk.page()
  await desk.session(page)
  await open(page)
  const table = page.getByRole('table', { name: 'By person' })
  const head = table.getByRole('columnheader', { name: 'Person' })
  await head.getByRole('button').click()
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending')
  const names = (await cells(page, 'By person')).map(([name]) => name ?? '')
  expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)))
  await head.getByRole('button').click()
  await expect
    .poll(async () => (await cells(page, 'By person')).map(([name]) => name))
    .toEqual([...names].reverse())
  await context.close()
})

it.each([
  ['en-US', 'Download CSV', ',', '.'],
  ['pt-BR', 'Baixar CSV', ';', ','],
  ['es-ES', 'Descargar CSV', ';', ','],
])(
  'saves every figure as CSV for %s',
  async (locale, button, separator, point) => {
    const { page, context } = await desk.page({ locale, acceptDownloads: true })
    await page.goto(`${desk.url}/`)
    await page.locator('input[type=email]').fill(desk.demo.login.email)
    await page.locator('input[type=password]').fill(desk.demo.login.password)
    await page.locator('button[type=submit]').click()
    await page.getByRole('listbox').first().waitFor()
    await page.goto(`${desk.url}/report`)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    const report = await fetched()
    expect(file.suggestedFilename()).toBe(
      `report-${report.from}-${report.to}.csv`,
    )
    const text = readFileSync(await file.path(), 'utf8')
    expect(readFileSync(await file.path()).subarray(0, 3)).toEqual(
      Buffer.from([0xef, 0xbb, 0xbf]),
    ) // the byte order mark
    const [lines = '', ...others] = text.slice(1).trimEnd().split('\r\n\r\n')
    expect(others).toHaveLength(3) // satisfaction, service levels and hours
    const rows = lines
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(separator).slice(-10))
    const minutes = (seconds: number | null) =>
      seconds === null
        ? ''
        : String(Math.round(seconds / 0.6) / 100).replace('.', point)
    const times = (one: Times) => [
      String(one.count),
      minutes(one.average_seconds),
      minutes(one.median_seconds),
      minutes(one.p90_seconds),
    ]
    const figures = (one: Figures) => [
      String(one.opened),
      String(one.closed),
      ...times(one.first_response),
      ...times(one.resolution),
    ]
    expect(rows).toEqual(
      [
        report.totals,
        report.previous.totals,
        ...report.by_person,
        ...report.by_sector,
        ...report.by_reason.filter((one) => one.closed > 0),
        ...report.by_channel,
        ...report.by_label,
        ...report.by_day,
      ].map(figures),
    )
    // A spreadsheet in the user's language reads every figure as a number, including fractions.
    const figuresOnly = rows.flat().filter((cell) => cell !== '')
    expect(
      figuresOnly.filter(
        (cell) =>
          !(point === ',' ? /^\d+(,\d+)?$/ : /^\d+(\.\d+)?$/).test(cell),
      ),
    ).toEqual([])
    expect(figuresOnly.some((cell) => cell.includes(point))).toBe(true)
    await expect
      .poll(() => page.getByRole('main').innerText())
      .not.toMatch(/\b(report|reportCsv|caseList)\.\w/)
    await context.close()
  },
)

it('opens the cases behind a figure, and saves them as CSV', async () => {
  const { page, context } = await desk.page({ acceptDownloads: true })
  await desk.session(page)
  await open(page)
  const report = await fetched()
  const week = page.getByRole('table', { name: 'Opened by weekday and hour' })
  const hours = await week.getByRole('cell').allInnerTexts()
  expect(hours.map(Number)).toEqual(report.by_hour.flat())
  const sector = report.by_sector.find((one) => one.sector && one.closed > 0)
  await page
    .getByRole('table', { name: 'By department' })
    .getByRole('row', { name: sector?.sector?.name ?? '' })
    .getByRole('link', { name: String(sector?.closed), exact: true })
    .last()
    .click()
  await page.getByRole('heading', { name: 'Cases closed', level: 1 }).waitFor()
  const cases = page.getByRole('table', { name: 'Cases' }).getByRole('row')
  await expect.poll(() => cases.count()).toBe((sector?.closed ?? 0) + 1)
  await axe(page, 'cases')

  await page
    .getByRole('button', {
      name: `Remove filter Department: ${sector?.sector?.name ?? ''}`,
    })
    .click()
  await expect
    .poll(async () => {
      const more = page.getByRole('button', { name: 'Show more' })
      if (await more.isVisible()) await more.click()
      return cases.count()
    })
    .toBe(report.totals.closed + 1)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`cases-${report.from}-${report.to}.csv`)
  await page
    .getByRole('region', { name: 'Downloads' })
    .getByText(`Saved: ${report.totals.closed} rows`)
    .waitFor()
  const [head = '', first = ''] = readFileSync(await file.path(), 'utf8')
    .slice(1)
    .split('\r\n')
  expect(head.split(',')).toContain('protocol')
  expect(first).toContain('ATD-')

  const protocol = cases.nth(1).getByRole('link')
  const name = await protocol.innerText()
  await protocol.click()
  await page.getByText(name).first().waitFor()
  expect(page.url()).toContain('/inbox/closed/')
  await context.close()
})

it('is hidden from agents', async () => {
  const agent =
    (
      (await desk.call('GET', '/team')).data as { id: string; role: string }[]
    ).find(({ role }) => role === 'agent')?.id ?? ''
  const { page, context } = await desk.page()
  await desk.signInAs(page, agent)
  await expect
    .poll(() =>
      page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Report' })
        .count(),
    )
    .toBe(0)
  await page.goto(`${desk.url}/report`)
  await page.getByText('Your role doesn’t allow this.').waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: 'Download CSV' }).count())
    .toBe(0)
  await context.close()
})

it('prints on two pages in light colours, with charts and with tables', async () => {
  const { page, context } = await desk.page({ colorScheme: 'dark' })
  await desk.session(page)
  await open(page)
  await page.locator('figure svg').nth(1).waitFor()
  const pages = async () =>
    (await page.pdf({ preferCSSPageSize: true }))
      .toString('latin1')
      .match(/\/Type\s*\/Page\b/g)?.length
  await expect.poll(() => pages()).toBe(2)
  await page
    .getByRole('button', { name: 'Show opened and closed as table' })
    .click()
  await page
    .getByRole('button', { name: 'Show first response as table' })
    .click()
  await expect.poll(() => pages()).toBe(2)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  /** colours returns the colours of every element in a theme. */
  const colours = (scheme: string) =>
    page.evaluate((theme) => {
      document.documentElement.dataset.mantineColorScheme = theme
      const shown = [
        ...document.querySelectorAll('html, body, main, main *'),
      ].filter((one) => one.getClientRects().length > 0)
      return shown.map((one) => {
        const style = getComputedStyle(one)
        return `${one.tagName}.${one.getAttribute('class') ?? ''} ${style.colorScheme} ${style.color} ${style.backgroundColor} ${style.borderColor} ${style.fill} ${style.stroke}`
      })
    }, scheme)
  const dark = await colours('dark')
  expect(dark).toEqual(await colours('light'))
  expect(dark.length).toBeGreaterThan(100)
  const small = await page
    .getByRole('table', { name: 'First response per day' })
    .getByRole('cell')
    .evaluateAll((cells) =>
      Math.min(
        ...cells.map((cell) =>
          Number.parseFloat(getComputedStyle(cell).fontSize),
        ),
      ),
    )
  expect(small).toBeGreaterThanOrEqual(10)
  await context.close()
})

it('has no accessibility violations on a desktop and a phone', async () => {
  for (const small of [false, true]) {
    const { page, context } = await desk.page(
      small
        ? {
            viewport: { width: 390, height: 844 },
            hasTouch: true,
            isMobile: true,
          }
        : {},
    )
    await desk.session(page)
    await open(page)
    await page.locator('figure svg').nth(1).waitFor()
    await axe(page, 'report')
    await page
      .getByRole('button', { name: 'Show opened and closed as table' })
      .click()
    await page
      .getByRole('button', { name: 'Show first response as table' })
      .click()
    await axe(page, 'report as tables')
    await expect
      .poll(() =>
        page
          .getByRole('region', { name: 'By person' })
          .evaluate((table) => table.scrollWidth <= table.clientWidth),
      )
      .toBe(true)
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
    await page.goto(`${desk.url}/report/cases?on=opened`)
    await (
      small
        ? page.getByRole('list', { name: 'Cases' })
        : page.getByRole('table', { name: 'Cases' })
    ).waitFor()
    await axe(page, 'cases')
    await context.close()
  }
})
