import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { card, meanwhile, newBoard, stage, visit } from './boards'
import { Desk } from './desk'
import { axe, dialog } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

it('shows one stage at a time on a phone', async () => {
  const { page } = await desk.page({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await desk.signIn(page)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Boards' })
    .tap()
  await page.getByRole('tab', { name: 'Orders' }).tap()
  await stage(page, 'New').waitFor()
  await expect
    .poll(() => page.getByRole('region', { name: /cards?$/ }).count())
    .toBe(1)
  await page
    .getByRole('combobox', { name: 'Stage' })
    .selectOption({ label: 'Doing (4)' })
  await card(stage(page, 'Doing'), 'Cesta de café da manhã').waitFor()
  await expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    )
    .toBe(true)
  await axe(page, 'board on a phone')
  await page.getByRole('button', { name: 'Actions for Doing' }).tap()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await axe(page, 'stage menu on a phone')
  await page.keyboard.press('Escape')
  await stage(page, 'Doing')
    .getByRole('listitem')
    .filter({ has: card(page, 'Cesta de café da manhã') })
    .getByRole('button', { name: 'Move to...' })
    .tap()
  await page.getByRole('menuitem', { name: 'Won' }).tap()
  await page.getByRole('region', { name: 'Doing, 3 cards' }).waitFor()
  await card(page, 'Estorno do cartão').tap()
  await dialog(page, 'Card').getByRole('textbox', { name: 'Title' }).waitFor()
  await axe(page, 'card on a phone')
  const [stored] = (await desk.call('GET', '/kanban/cards?q=Estorno')).data as {
    id: string
    version: number
  }[]
  await dialog(page, 'Card')
    .getByRole('textbox', { name: 'Title' })
    .fill('Estorno parcial')
  await desk.call('PATCH', `/kanban/cards/${stored?.id ?? ''}`, {
    title: 'Estorno total',
    version: stored?.version,
  })
  await dialog(page, 'Card')
    .getByRole('alert', { name: 'This card changed' })
    .getByText('Estorno total')
    .waitFor()
  await axe(page, 'a card that changed, on a phone')
  await dialog(page, 'Card').getByRole('button', { name: 'Use theirs' }).tap()
  await page.goBack()
  await dialog(page, 'Card').waitFor({ state: 'detached' })
})

it('moves a card by touch', async () => {
  const { page, context } = await desk.page({ hasTouch: true })
  await desk.signIn(page)
  await visit(page, 'Produção')
  const from = await card(page, 'Massa folhada').boundingBox()
  const to = await stage(page, 'Amanhã').boundingBox()
  const session = await context.newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
    })
  const [x, y] = [(from?.x ?? 0) + 40, (from?.y ?? 0) + 14]
  await touch('touchStart', x, y)
  await page.locator('[data-card][data-held]').waitFor({ state: 'attached' }) // a long press picks up the card
  for (let step = 1; step <= 6; step++)
    await touch('touchMove', x + (((to?.x ?? 0) + 100 - x) * step) / 6, y + 20)
  await stage(page, 'Amanhã')
    .locator('[data-drop]')
    .waitFor({ state: 'attached' })
  await touch('touchEnd')
  await card(stage(page, 'Amanhã'), 'Massa folhada').waitFor()
})

it("shows a colleague's changes to an archived card and names its contacts", async () => {
  const board = await newBoard(desk, 'Arquivo', ['lista'])
  const path = `/kanban/cards/${board.cards.lista ?? ''}`
  const [contact] = (await desk.call('GET', '/contacts?q=Tereza%20Silveira'))
    .data as { id: string }[]
  const { page } = await desk.page({}, /409/)
  await desk.signIn(page)
  await visit(page, 'Arquivo')
  await card(page, 'lista').click()
  const open = dialog(page, 'Card')
  await open.getByRole('textbox', { name: 'Title' }).fill('lista nova')
  await open.getByRole('combobox', { name: 'Contact' }).fill('Helena')
  await page.getByRole('option', { name: 'Helena Duarte' }).click()
  await meanwhile(page, 'PATCH', path, () =>
    desk.call('PATCH', path, { contact: contact?.id, version: 1 }),
  )
  await open.getByRole('button', { name: 'Archive' }).click()
  const changed = open
    .getByRole('alert', { name: 'This card changed' })
    .getByRole('group', { name: 'Contact' })
  await changed.getByText('Helena Duarte').waitFor()
  await changed.getByText('Tereza Silveira').waitFor()
  await expect
    .poll(() => open.getByRole('button', { name: 'Archive' }).isDisabled())
    .toBe(true)
  await changed.getByRole('button', { name: 'Use theirs' }).click()
  await open.getByRole('button', { name: 'Archive' }).click()
  await open.waitFor({ state: 'detached' })
  await expect
    .poll(() => desk.call('GET', path))
    .toMatchObject({
      title: 'lista nova',
      contact: contact?.id,
      status: 'archived',
    })
  await page.goto(
    `${desk.url}/boards/${board.id}?card=${board.cards.lista ?? ''}`,
  )
  await open.getByRole('button', { name: 'Restore' }).waitFor()
  await expect
    .poll(() => open.getByRole('button', { name: 'Move to...' }).count())
    .toBe(0)
})

it('is accessible', async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await visit(page, 'Orders')
  await card(page, 'Bolo de 20 pessoas').waitFor()
  await axe(page, 'board')
  await page.getByRole('button', { name: 'Actions for Doing' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await axe(page, 'stage menu')
  await page.keyboard.press('Escape')
  await card(page, 'Bolo de 20 pessoas').click()
  await dialog(page, 'Card').getByRole('textbox', { name: 'Title' }).waitFor()
  await axe(page, 'card')
  await dialog(page, 'Card').getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('button', { name: 'New board' }).click()
  await dialog(page, 'New board').waitFor()
  await axe(page, 'new board')
})

it.each([
  ['pt-BR', 'Quadros', 'Atendimentos', 'Em andamento'],
  ['es-ES', 'Tableros', 'Casos', 'En curso'],
])('speaks %s', async (locale, title, tab, column) => {
  const { page } = await desk.page({ locale })
  await page.goto(`${desk.url}/boards`)
  await page.locator('main input').first().fill(desk.demo.login.email)
  await page.locator('main input[type=password]').fill(desk.demo.login.password)
  await page.locator('button[type=submit]').click()
  await page
    .getByRole('tablist', { name: title })
    .getByRole('tab', { name: tab })
    .click()
  await page
    .getByRole('region', { name: new RegExp(`^${column}, `) })
    .getByRole('button')
    .first()
    .click()
  await page.getByRole('dialog').locator('input').first().waitFor()
  await expect
    .poll(() => page.locator('main').innerText())
    .not.toMatch(/\b(boards|card|filters|common|details)\.\w+/)
})

it('lets an agent use boards', async () => {
  const { page } = await desk.page()
  const agent = desk.company.users[3] ?? ''
  await desk.signInAs(page, agent)
  await visit(page, 'Produção')
  await page.getByRole('button', { name: 'New card' }).waitFor()
  await card(page, 'Fornada das 17h').waitFor()
  // The owner's private card is not shown.
  await visit(page, 'Orders')
  await card(page, 'Cesta de café da manhã')
    .or(card(page, '100 salgados sortidos'))
    .first()
    .waitFor()
  await expect.poll(() => card(page, 'Proposta de sociedade').count()).toBe(0)
})
