import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, postgresOnly } from './desk'
import { axe, dialog, hasFocus, log, message, open, row, show } from './parts'

const laptop = { viewport: { width: 1280, height: 720 } }

describe.each(postgresOnly)('working together on %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  const figure = (page: Page, name: string) =>
    page.getByRole('region', { name, exact: true })

  it('shows managers the current workload, live, with links to the cases', async () => {
    const { page } = await desk.page(laptop)
    await desk.signIn(page)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Now', exact: true })
      .click()
    const now = await desk.call('GET', '/reports/now')
    await figure(page, 'Open cases').getByText(String(now.open)).waitFor()
    await page
      .getByRole('table', { name: 'By person' })
      .getByRole('rowheader', { name: /Ana Ribeiro online/ })
      .waitFor()
    await axe(page, 'now')
    await desk.customer('+5511955556001', 'Nova Pessoa', 'Oi')
    await figure(page, 'Waiting for a reply')
      .getByText(String(Number(now.unanswered) + 1), { exact: true })
      .waitFor()
    await figure(page, 'Unassigned').getByRole('link').click()
    await page.waitForURL(/inbox\/waiting/)
    await row(page, 'Nova Pessoa').waitFor()
    await page.goBack()
    await page
      .getByRole('table', { name: 'By department' })
      .getByRole('row', { name: /Entregas/ })
      .getByRole('link')
      .first()
      .click()
    await page.waitForURL(/inbox\/open\?sector=/)
  })

  it('transfers to a person found by typing, and with the keyboard alone', async () => {
    await desk.customer('+5511955556002', 'Pedro Transferido', 'Boleto?')
    const { page } = await desk.page(laptop)
    await desk.signIn(page)
    await open(page, 'Pedro Transferido')
    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    const transfer = dialog(page, 'Transfer conversation')
    await hasFocus(transfer.getByRole('combobox'))
    await axe(page, 'transfer')
    await page.keyboard.type('bruno')
    await page.keyboard.press('Enter')
    await transfer.waitFor({ state: 'detached' })
    await log(page)
      .getByText(/Bruno Tavares/)
      .waitFor()
    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    await hasFocus(transfer.getByRole('combobox'))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await transfer.waitFor({ state: 'detached' })
    await log(page)
      .getByText(/Entregas/)
      .waitFor()
  })

  it('offers actions on the open case in the palette, and the best match first', async () => {
    await desk.customer('+5511955556003', 'Lia Prefixo', 'Oi')
    await desk.customer('+5511955556004', 'Amália Dentro', 'Oi')
    const { page } = await desk.page(laptop)
    await desk.signIn(page)
    await open(page, 'Lia Prefixo')
    const palette = dialog(page, 'Search and commands')
    await page.keyboard.press('Control+k')
    await palette.getByRole('searchbox').fill('lia')
    await palette
      .getByRole('option', { name: /Amália Dentro/ })
      .first()
      .waitFor()
    await expect
      .poll(() => palette.getByRole('option').first().textContent())
      .toContain('Lia Prefixo')
    await palette.getByRole('searchbox').fill('assign to')
    await page.keyboard.press('Enter')
    await page
      .getByRole('button', { name: 'Assign to me', exact: true })
      .waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await palette.getByRole('searchbox').fill('close case')
    await page.keyboard.press('Enter')
    await dialog(page, 'Close case').waitFor()
  })

  it('reopens a case that was closed by mistake', async () => {
    const sent = await desk.customer('+5511955556005', 'Rita Desfaz', 'Oi')
    const { page } = await desk.page(laptop)
    await desk.signIn(page)
    await show(page, /^Waiting/)
    await row(page, 'Rita Desfaz').click()
    const protocol = page.getByRole('button', { name: /^Copy protocol ATD-/ })
    const before = await protocol.textContent()
    await page.getByRole('button', { name: 'Close case' }).click()
    await hasFocus(
      dialog(page, 'Close case').getByRole('textbox', { name: 'Reason' }),
    )
    await page.keyboard.press('Enter')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await undo.hover() // so that it stays
    await protocol.waitFor({ state: 'detached' })
    await undo.click()
    await protocol.waitFor()
    expect(await protocol.textContent()).toBe(before)
    await expect
      .poll(() =>
        desk.call(
          'GET',
          `/conversations/${String(sent.conversation)}/attendance`,
        ),
      )
      .toMatchObject({ status: 'open', protocol: before })
    await message(page).fill('Ainda estou aqui')
    await page.keyboard.press('Enter')
    await log(page).getByText('Ainda estou aqui').waitFor()
  })
})
