import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, message, row, rows } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const small = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}

it('shows one pane at a time on a phone, with large targets', async () => {
  await desk.customer('+5511955550004', 'Fábio Luz', 'Boa tarde')
  const { page, context } = await desk.page(small)
  await desk.signIn(page)
  const main = page.getByRole('navigation', { name: 'Main' })
  await expect
    .poll(() => main.getByRole('link').allTextContents())
    .toEqual(['Inbox', 'Contacts', 'Boards'])
  expect(
    (await main.getByRole('link').first().boundingBox())?.height,
  ).toBeGreaterThanOrEqual(44)
  await row(page, 'Fábio Luz').tap()
  await log(page).getByText('Boa tarde').waitFor()
  await expect.poll(() => rows(page).isVisible()).toBe(false)
  await message(page).fill('Boa tarde, Fábio')
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await log(page).getByText('Boa tarde, Fábio').waitFor()
  await page.getByRole('button', { name: 'Show details' }).tap()
  await page
    .getByRole('complementary', { name: 'Details' })
    .getByRole('region', { name: 'Case' })
    .waitFor()
  await page.goBack()
  await log(page).waitFor()
  await page.goBack()
  await rows(page).waitFor()
  await main.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor()
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
  await expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    )
    .toBe(true)
  await context.close()
})

it('selects a conversation with a long press', async () => {
  const { page, context } = await desk.page(small)
  await desk.signIn(page)
  const box = await rows(page).getByRole('option').first().boundingBox()
  const session = await context.newCDPSession(page)
  const touchPoints = [{ x: (box?.x ?? 0) + 150, y: (box?.y ?? 0) + 30 }]
  await session.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints,
  })
  await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
  await session.send('Input.dispatchTouchEvent', {
    type: 'touchEnd',
    touchPoints: [],
  })
  await expect.poll(() => rows(page).isVisible()).toBe(true)
  await context.close()
})
