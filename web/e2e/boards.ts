import type { Locator, Page } from 'playwright-core'
import type { Desk } from './desk'

export const stage = (page: Page, name: string) =>
  page.getByRole('region', { name: new RegExp(`^${name}, [\\d,.]+ cards?$`) })
export const card = (within: Page | Locator, title: string) =>
  within.getByRole('button', { name: title, exact: true })
export const titles = (page: Page, name: string) =>
  stage(page, name)
    .locator('[data-card] > button:first-child > span:first-child')
    .allTextContents()
export const alert = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'this card' })

/** visit opens a board by its tab. */
export async function visit(page: Page, board: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Boards' })
    .click()
  await page.getByRole('tab', { name: board, exact: true }).click()
  await page
    .getByRole('tab', { name: board, exact: true, selected: true })
    .waitFor()
}

export type Made = {
  id: string
  stages: Record<string, string>
  cards: Record<string, string>
}

/** newBoard creates a board with cards in its first stage. */
export async function newBoard(
  desk: Desk,
  name: string,
  cards: string[] = [],
): Promise<Made> {
  const board = (await desk.call('POST', '/kanban/boards', {
    name,
    stages: [{ name: 'New' }, { name: 'Doing' }, { name: 'Won', kind: 'won' }],
  })) as { id: string; stages: { id: string; name: string }[] }
  const made: Made = {
    id: board.id,
    stages: Object.fromEntries(board.stages.map((one) => [one.name, one.id])),
    cards: {},
  }
  for (const title of cards)
    made.cards[title] = String(
      (await desk.call('POST', '/kanban/cards', { board_id: made.id, title }))
        .id,
    )
  return made
}

/** cardPath returns the API path of the open card. */
export async function cardPath(page: Page): Promise<string> {
  await page.waitForURL(/[?&]card=/)
  return `/kanban/cards/${new URL(page.url()).searchParams.get('card') ?? ''}`
}

/** meanwhile runs a task before the page's next matching request reaches the server. */
export async function meanwhile(
  page: Page,
  method: string,
  path: string,
  task: () => Promise<unknown>,
): Promise<void> {
  let done = false
  await page.route(`**/v1${path}`, async (route) => {
    if (!done && route.request().method() === method) {
      done = true
      await task()
    }
    await route.continue()
  })
}

/** drag drags a card with the mouse to a position in a column. */
export async function drag(
  page: Page,
  from: Locator,
  to: Locator,
  at: 'start' | 'end' = 'end',
): Promise<void> {
  const start = await from.boundingBox()
  const target = await to.boundingBox()
  if (!start || !target) throw new Error('not in sight')
  await page.mouse.move(start.x + 60, start.y + 16)
  await page.mouse.down()
  await page.mouse.move(start.x + 80, start.y + 30, { steps: 3 })
  await page.mouse.move(
    target.x + 120,
    at === 'start' ? target.y + 44 : target.y + target.height - 60,
    { steps: 8 },
  )
  await to.locator('[data-drop]').waitFor({ state: 'attached' })
  await page.mouse.up()
}
