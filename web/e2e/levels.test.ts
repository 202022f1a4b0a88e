import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { axe, log, message, open, row, rows, show, showDetails } from './parts'

const settings = async (page: Page, name: string) => {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Settings' })
    .click()
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name, exact: true })
    .click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}
/** left is the time left until a target is due, on a row or in the header. */
const left = (within: Locator) => within.locator('[role=img][data-tone]')
const tone = (within: Locator) => left(within).getAttribute('data-tone')
const header = (page: Page) =>
  page.locator('header').filter({
    has: page.getByRole('button', { name: /^Copy protocol/ }),
  })
const pick = async (form: Locator, sector: string) => {
  await form.getByRole('combobox', { name: 'Departments' }).click()
  await form.page().getByRole('option', { name: sector, exact: true }).click()
  await form.page().keyboard.press('Tab') // closes the options
}

describe.each(sqliteOnly)('service levels, %s', (engine) => {
  let desk: Desk
  let sectors: string[]
  beforeAll(async () => {
    desk = await Desk.start({ engine })
    const { data } = (await desk.call('GET', '/sectors')) as {
      data: { name: string }[]
    }
    sectors = data.map((one) => one.name)
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('are set by department; what another policy covers is said at the field', async () => {
    const [first = '', second = ''] = sectors
    const { page } = await desk.page()
    await desk.signIn(page)
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: /^All open/ }).waitFor()
    expect(await views.getByRole('link', { name: /^At risk/ }).count()).toBe(0)
    await settings(page, 'Service levels')
    await page.getByText('No service levels yet.').waitFor()
    await page.getByRole('button', { name: 'New policy' }).click()
    const form = page.getByRole('dialog', { name: 'New policy' })
    const name = form.getByRole('textbox', { name: 'Name' })
    const target = (of: string) =>
      form.getByRole('textbox', { name: of, exact: true })
    const unit = (of: string) =>
      form.getByRole('combobox', { name: `Unit of ${of}` })
    const save = form.getByRole('button', { name: 'Save' })
    await name.fill('Standard')
    await target('First response').fill('1')
    await target('Next response').fill('2')
    await unit('Next response').selectOption('days')
    await form
      .getByRole('combobox', { name: 'Time that counts' })
      .selectOption('Around the clock')
    await form.getByRole('textbox', { name: 'Warn at' }).fill('50')
    await axe(page, 'new policy')
    await save.click()
    const list = page.getByRole('list', { name: 'Service levels' })
    const policy = list.getByRole('listitem')
    await policy.getByText('All other cases').waitFor()
    await policy
      .getByText('First response 1 min · Next response 2 d', { exact: true })
      .waitFor()
    await policy.getByText('Around the clock · Warning at 50%').waitFor()

    await page.getByRole('button', { name: 'New policy' }).click()
    expect(
      await form.getByRole('radio', { name: 'All other cases' }).isDisabled(),
    ).toBe(true)
    await form.getByText('“Standard” already covers all other cases.').waitFor()
    await name.fill('standard')
    await form.getByText('This name is already in use.').waitFor()
    await name.fill('Slow')
    await save.click()
    await form.getByText('Choose at least one department.').waitFor()
    await pick(form, second)
    await target('First response').fill('')
    await target('Next response').fill('')
    await save.click()
    await form.getByText('Set at least one target.').waitFor()
    await target('Resolution').fill('30')
    await unit('Resolution').selectOption('days')
    await save.click()
    await form.waitFor({ state: 'detached' })
    await policy.filter({ hasText: 'Slow' }).getByText(second).waitFor()

    await page.getByRole('button', { name: 'New policy' }).click()
    await name.fill('Second')
    await pick(form, second)
    await form.getByText(`“Slow” already covers ${second}.`).waitFor()
    await pick(form, first)
    await form.getByRole('button', { name: 'Dismiss' }).click()
    await axe(page, 'service levels')
    await page.getByRole('button', { name: 'Delete Slow' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Delete' })
      .click()
    await expect.poll(() => policy.count()).toBe(1)
  })

  /** measured makes sure that a policy applies to all cases. */
  const measured = async () => {
    const { data } = await desk.call('GET', '/sla-policies')
    if (Array.isArray(data) && data.length > 0) return
    await desk.call('POST', '/sla-policies', {
      name: 'Standard',
      first_response_minutes: 1,
      warn_percent: 50,
    })
  }

  it('show the time left on rows, in the header and in the details, and warn', async () => {
    const { page } = await desk.page()
    await measured()
    await desk.signIn(page)
    // The cases of the demo have waited for longer than a minute.
    await show(page, /^At risk, \d+$/)
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Sort' }).inputValue())
      .toBe('sla_due')
    await expect
      .poll(() => tone(rows(page).getByRole('option').first()))
      .toBe('red')
    expect(
      await left(rows(page).getByRole('option').first()).getAttribute(
        'aria-label',
      ),
    ).toMatch(/^(First|Next) response .+ late$/)
    await axe(page, 'at risk')

    const { conversation } = await desk.customer(
      '+5511977770001',
      'Nina Prado',
      'Is the cake ready?',
    )
    await desk.call('POST', `/conversations/${String(conversation)}/take`)
    await show(page, /^All open/)
    const nina = row(page, 'Nina Prado')
    await nina.waitFor()
    expect(await left(nina).getAttribute('aria-label')).toBe(
      'First response due in 1 min',
    )
    expect(await tone(nina)).toBe('plain')
    await nina.click()
    await header(page)
      .getByRole('img', { name: 'First response due in 1 min' })
      .waitFor()
    // Half of the minute later.
    await expect.poll(() => tone(nina)).toBe('amber')
    await expect.poll(() => tone(header(page))).toBe('amber')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    const told = page
      .getByRole('list', { name: 'Notifications' })
      .getByRole('link', { name: /Nina Prado/ })
    await told.filter({ hasText: 'Case due soon' }).waitFor()
    await page.keyboard.press('Escape')
    const level = (await showDetails(page)).getByRole('region', {
      name: 'Service level',
    })
    await level.getByText('Standard').waitFor()
    await level.getByText(/^(In \d+ min|\d+ min late) \(Today/).waitFor()
    await axe(page, 'service level of a case')
    await message(page).fill('Yes, come by!')
    await page.keyboard.press('Enter')
    await level.getByText(/^(On time|Late), Today/).waitFor()
    await expect.poll(() => left(nina).count()).toBe(0)
    await expect.poll(() => left(header(page)).count()).toBe(0)
  })

  it('sort any view and are saved with it', async () => {
    const { page } = await desk.page({ viewport: { width: 1280, height: 720 } })
    await measured()
    await desk.signIn(page)
    await show(page, /^All open/)
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('Due first')
    await expect
      .poll(() => tone(rows(page).getByRole('option').first()))
      .toBe('red')
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('By due time')
    await page
      .getByRole('dialog', { name: 'Filters' })
      .getByRole('button', { name: 'Save', exact: true })
      .click()
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^By due time/ })
      .and(page.locator('[aria-current=page]'))
      .waitFor()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Sort' }).inputValue())
      .toBe('sla_due')
    await page.goto(`${desk.url}/now`)
    await page
      .getByRole('region', { name: 'At risk' })
      .getByRole('link')
      .click()
    await page.waitForURL(/\/inbox\/at_risk/)
  })
})

describe.each(sqliteOnly)('the survey, %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('is edited beside a preview, and its answer stands at the case', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/survey/)
    await desk.signIn(page)
    await settings(page, 'Survey')
    await page.getByRole('switch', { name: 'Enabled' }).click({ force: true })
    const sees = page.getByRole('log', { name: 'What the customer sees' })
    const text = (name: string) => page.getByRole('textbox', { name })
    await text('Question').first().fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => text('Question').first().getAttribute('aria-invalid'))
      .toBe('true')
    await text('Question').first().fill('How did we do?')
    await sees.getByText('How did we do?').waitFor()
    await text('Question after a low rating').fill('What went wrong?')
    await text('Thanks').fill('Thank you!')
    await sees.getByRole('button', { name: '2 ★★', exact: true }).click()
    await sees.getByText('What went wrong?').waitFor()
    await page.getByRole('button', { name: 'Start over' }).click()
    await sees.getByRole('button', { name: '5 ★★★★★' }).click()
    await sees.getByText('Thank you!').waitFor()
    await page.getByRole('textbox', { name: 'Pause (days)' }).fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await axe(page, 'survey')

    const say = (words: string) =>
      desk.customer('+5511977770002', 'Otto Reis', words)
    await say('My order is late.')
    await page.goto(`${desk.url}/inbox/open`)
    await open(page, 'Otto Reis')
    await message(page).fill('It is on its way.')
    await page.keyboard.press('Enter')
    await log(page).getByText('It is on its way.').waitFor()
    const { data } = (await desk.call(
      'GET',
      '/conversations?q=Otto',
    )) as unknown as { data: { id: string }[] }
    await desk.call(
      'POST',
      `/conversations/${data[0]?.id}/attendance/close`,
      {},
    )
    await log(page).getByText('How did we do?').waitFor()
    await say('2')
    await log(page).getByRole('img', { name: 'Rated 2 of 5' }).waitFor()
    await log(page).getByText('What went wrong?').waitFor()
    await say('It came a day late.')
    await log(page).locator('q').getByText('It came a day late.').waitFor()
    const details = await showDetails(page)
    await details
      .getByRole('region', { name: 'Case', exact: true })
      .getByText('It came a day late.')
      .waitFor()
    await details
      .getByRole('region', { name: 'History' })
      .getByRole('img', { name: 'Rated 2 of 5' })
      .waitFor()
    await axe(page, 'rating')
  })

  it('fits a phone', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    })
    await desk.signIn(page)
    await page.goto(`${desk.url}/settings/survey`)
    await page.getByRole('log', { name: 'What the customer sees' }).waitFor()
    await axe(page, 'survey on a phone')
    await page.goto(`${desk.url}/settings/levels`)
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await axe(page, 'policy on a phone')
    expect(
      await page.evaluate(() => document.body.scrollWidth),
    ).toBeLessThanOrEqual(390)
  })
})
