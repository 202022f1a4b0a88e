import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, log, open, showDetails, speak } from './parts'

const option = (page: Page | Locator, number: string) =>
  page.getByRole('group', { name: `Option ${number}`, exact: true })
const title = (page: Page, number: string) =>
  option(page, number).getByRole('textbox', { name: 'Title' }).first()
const leads = async (
  page: Page,
  number: string,
  action: string,
  to?: string,
) => {
  await option(page, number)
    .getByRole('combobox', { name: 'Action' })
    .first()
    .selectOption(action)
  if (to)
    await option(page, number)
      .getByRole('combobox', { name: 'Department' })
      .first()
      .selectOption(to)
}

describe('greeting and menu', () => {
  let desk: Desk
  let sectors: string[]
  beforeAll(async () => {
    desk = await Desk.start()
    const { data } = (await desk.call('GET', '/sectors')) as {
      data: { name: string }[]
    }
    sectors = data.map((one) => one.name)
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('are edited with a submenu, tried and saved; the customer receives them', async () => {
    const [sales = '', support = ''] = sectors
    const { page } = await desk.page({}, /status of 400 .*\/reception/)
    await desk.signIn(page)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Settings' })
      .click()
    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Greeting and menu', exact: true })
      .click()
    const numbers = page
      .getByRole('list', { name: 'Numbers' })
      .getByRole('link')
    await numbers
      .filter({ hasText: 'Diretoria' })
      .getByText('Private: no automatic replies')
      .waitFor()
    await numbers.filter({ hasText: 'Off' }).first().click()

    await page.getByRole('switch', { name: 'Enabled' }).click({ force: true })
    await page.getByRole('textbox', { name: 'Greeting' }).fill('Welcome!')
    await page
      .getByRole('textbox', { name: 'Away message' })
      .fill('We are closed.')
    const sees = page.getByRole('log', { name: 'What the customer sees' })
    await sees.getByText('Welcome!').waitFor()
    await page.getByRole('switch', { name: 'Menu' }).click({ force: true })
    await page
      .getByRole('textbox', { name: 'Menu text' })
      .fill('How can we help?')
    await title(page, '1').fill('Support')
    await leads(page, '1', 'Open another menu')
    await option(page, '1')
      .getByRole('textbox', { name: 'Menu text' })
      .fill('Which product?')
    await title(page, '1.1').fill('Oven')
    await leads(page, '1.1', 'Send to a department', support)
    await title(page, '1.2').fill('Nothing more')
    await leads(page, '1.2', 'Close the case')
    await title(page, '2').fill('Support')
    await leads(page, '2', 'Send to a department', sales)
    await page
      .getByRole('combobox', { name: 'Fallback department' })
      .first()
      .selectOption(sales)

    // Server errors appear at their fields.
    await page.getByRole('button', { name: 'Save' }).click()
    await option(page, '2')
      .getByText('Another option has the same title.')
      .waitFor()
    await expect
      .poll(() =>
        title(page, '2').evaluate((field) => field === document.activeElement),
      )
      .toBe(true)
    await title(page, '2').fill('Atendente')
    await page.getByRole('button', { name: 'Move Option 2 up' }).click()
    await expect.poll(() => title(page, '1').inputValue()).toBe('Atendente')
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: 'Move Option 1 down' })
          .evaluate((button) => button === document.activeElement),
      )
      .toBe(true)
    await title(page, '1').press('Control+ArrowDown')
    await expect
      .poll(() =>
        title(page, '2').evaluate(
          (field) =>
            field === document.activeElement &&
            (field as HTMLInputElement).value,
        ),
      )
      .toBe('Atendente')
    await title(page, '2').press('Control+ArrowUp')
    await expect
      .poll(() =>
        title(page, '1').evaluate(
          (field) =>
            field === document.activeElement &&
            (field as HTMLInputElement).value,
        ),
      )
      .toBe('Atendente')
    await title(page, '2').press('Enter')
    await expect
      .poll(() =>
        title(page, '3').evaluate((field) => field === document.activeElement),
      )
      .toBe(true)
    await page.getByRole('button', { name: 'Remove Option 3' }).click()

    const trial = page.getByRole('region', { name: 'Try it' })
    await sees.getByRole('button', { name: 'Support' }).click()
    await sees.getByText('Which product?').waitFor()
    await trial
      .getByRole('textbox', { name: 'Write as the customer' })
      .fill('oven')
    await trial.getByRole('button', { name: 'Send' }).click()
    await sees.getByText(`Department ${support}`).waitFor()
    await trial.getByRole('button', { name: 'Start over' }).click()
    await trial
      .getByRole('combobox', { name: 'When the customer writes' })
      .selectOption('Outside opening hours')
    await sees.getByText('We are closed.').waitFor()
    await sees.getByRole('button', { name: 'Atendente' }).click()
    await sees.getByText(`Department ${sales}`).waitFor()

    await page.getByRole('link', { name: 'Greeting and menu' }).last().click()
    const leaving = page.getByRole('alertdialog', {
      name: 'Leave without saving?',
    })
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => title(page, '1').inputValue()).toBe('Atendente')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await axe(page, 'the form')
    await page.getByRole('link', { name: 'Greeting and menu' }).last().click()
    await numbers.filter({ hasText: 'On' }).first().waitFor()
    await axe(page, 'the list of numbers')

    for (const text of ['hello', 'support', 'oven'])
      await desk.customer('+5511955553344', 'Rita Moraes', text)
    await page.goto(`${desk.url}/`)
    await open(page, 'Rita Moraes')
    await log(page).getByText('Menu: Support > Oven').waitFor()
    await log(page)
      .getByRole('article', { name: /^Automatic, / })
      .first()
      .waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Good morning')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const details = await showDetails(page)
    await details.getByText(/^Bots paused until /).waitFor()
    await details
      .getByRole('region', { name: 'History' })
      .getByText('Menu: Support > Oven')
      .waitFor()
    await axe(page, 'the conversation')
    await details.getByRole('button', { name: 'Resume bots' }).click()
    await details.getByText(/^Bots paused/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Pause bots for 1 hour' }).click()
    await details.getByText(/^Bots paused until/).waitFor()
  })

  it("report a colleague's save and overwrite it only on request", async () => {
    const spare = await desk.call('POST', '/channels', {
      name: 'Balcão',
      provider: 'sandbox',
      phone: '+5511955557002',
    })
    const path = `/channels/${String(spare.id)}/reception`
    const { page } = await desk.page({}, /status of 409 .*\/reception/)
    await desk.signIn(page)
    await page.goto(`${desk.url}/settings/reception/${String(spare.id)}`)
    const greeting = page.getByRole('textbox', { name: 'Greeting' })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const changed = page
      .getByRole('alert')
      .filter({ hasText: 'A colleague changed this in the meantime.' })

    await greeting.fill('Mine')
    await desk.call('PUT', path, { enabled: true, greeting: 'Theirs' })
    await save.click()
    await changed.waitFor()
    expect(await greeting.inputValue()).toBe('Mine')
    expect(await desk.call('GET', path)).toMatchObject({ greeting: 'Theirs' })
    await axe(page, 'a reception that changed')
    await page.getByRole('button', { name: 'Load the saved version' }).click()
    await expect.poll(() => greeting.inputValue()).toBe('Theirs')
    await changed.waitFor({ state: 'detached' })

    await greeting.fill('Mine')
    await desk.call('PUT', path, { enabled: true, greeting: 'Theirs again' })
    await save.click()
    await changed.waitFor()
    await save.click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await desk.call('GET', path)).toMatchObject({ greeting: 'Mine' })
  })

  it('fit a phone in every language and are not offered for private numbers', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(page)
    for (const [language, title] of [
      ['pt-BR', 'Saudação e menu'],
      ['es', 'Saludo y menú'],
      ['en', 'Greeting and menu'],
    ] as const) {
      await speak(page, language)
      await page.goto(`${desk.url}/settings/reception/${desk.company.channel}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByRole('log').getByText('Welcome!').waitFor()
      expect(
        ((await page.textContent('body')) ?? '').match(
          /\b(settings|reception|channels|common|wrong|event)\.[a-z]\w+/g,
        ),
      ).toBeNull()
      expect([
        language,
        await page.evaluate(
          () =>
            document.documentElement.scrollWidth <= innerWidth &&
            [...document.querySelectorAll('main *')].every(
              (one) =>
                one.closest('nav') ||
                one.getBoundingClientRect().right <= innerWidth + 1,
            ),
        ),
      ]).toEqual([language, true])
    }
    await axe(page, 'the form on a phone')
    await page.getByRole('link', { name: 'Greeting and menu' }).last().click()
    await page.getByRole('link', { name: /^Diretoria/ }).click()
    await page.getByText('Private numbers never reply automatically.').waitFor()
    await expect
      .poll(() => page.getByRole('switch', { name: 'Enabled' }).count())
      .toBe(0)
  })
})
