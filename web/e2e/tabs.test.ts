import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, open, row, rows } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

type Shown = { title: string; body: string; tag: string }
type Observed = Window & { shown: Shown[]; focused: boolean }

/** observe records a page's notifications and lets the test decide which page has the focus, which headless browsers cannot. */
async function observe(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['notifications'], {
    origin: new URL(desk.url).origin,
  })
  await context.addInitScript(() => {
    const page = window as unknown as Observed
    page.shown = []
    page.focused = false
    document.hasFocus = () => page.focused
    const Real = window.Notification
    window.Notification = class extends Real {
      static override get permission(): NotificationPermission {
        return 'granted' // headless Chromium cannot ask
      }

      constructor(title: string, options: NotificationOptions = {}) {
        super(title, options)
        page.shown.push({
          title,
          body: options.body ?? '',
          tag: options.tag ?? '',
        })
      }
    }
  })
}

const focus = (page: Page, focused: boolean) =>
  page.evaluate((now) => {
    ;(window as unknown as Observed).focused = now
    dispatchEvent(new Event(now ? 'focus' : 'blur'))
  }, focused)

const shown = (page: Page) =>
  page.evaluate(() => (window as unknown as Observed).shown)

it('notifies of a new message in one tab only, and not if it is visible', async () => {
  await desk.customer('+5511955552001', 'Sara Lins', 'Oi')
  const { page, context } = await desk.page()
  await observe(context)
  await desk.signIn(page)
  await open(page, 'Sara Lins')
  const second = await context.newPage()
  await second.goto(`${desk.url}/inbox/waiting`)
  await rows(second).getByRole('option').first().waitFor()
  const first = await desk.customer('+5511955552001', 'Sara Lins', 'Alguém aí?')
  const all = async () => [...(await shown(page)), ...(await shown(second))]
  await expect
    .poll(all)
    .toEqual([
      { title: 'Sara Lins', body: 'Alguém aí?', tag: first.conversation },
    ])
  await desk.customer('+5511955552001', 'Sara Lins', '*Olá*?')
  await expect.poll(all).toEqual([
    { title: 'Sara Lins', body: 'Alguém aí?', tag: first.conversation },
    { title: 'Sara Lins', body: 'Olá?', tag: first.conversation },
  ])
  // Visible in the second tab, which does not hold the stream.
  await row(second, 'Sara Lins').click()
  await focus(second, true)
  await log(second).getByText('Alguém aí?').waitFor()
  await desk.customer('+5511955552001', 'Sara Lins', 'Em vista')
  await log(page).getByText('Em vista').waitFor()
  await log(second).getByText('Em vista').waitFor()
  await expect.poll(() => all()).toHaveLength(2)
  await focus(second, false)
  await desk.customer('+5511955552002', 'Tito Vaz', 'Outra conversa')
  await expect
    .poll(async () => (await all()).map((one) => one.title))
    .toEqual(['Sara Lins', 'Sara Lins', 'Tito Vaz'])
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) Recado$/)
})

it('shares one stream between tabs and misses nothing when its tab closes', async () => {
  await desk.customer('+5511955552003', 'Vera Nóbrega', 'Oi')
  const { page, context } = await desk.page()
  const streams: string[] = []
  context.on('request', (request) => {
    if (request.url().endsWith('/v1/live'))
      streams.push(request.headers()['last-event-id'] ?? '')
  })
  await desk.signIn(page)
  await open(page, 'Vera Nóbrega')
  const second = await context.newPage()
  await second.goto(page.url())
  await log(second).getByText('Oi', { exact: true }).waitFor()
  const third = await context.newPage()
  await third.goto(page.url())
  await log(third).getByText('Oi', { exact: true }).waitFor()
  await desk.customer('+5511955552003', 'Vera Nóbrega', 'uma')
  for (const tab of [page, second, third])
    await log(tab).getByText('uma', { exact: true }).waitFor()
  expect(streams).toEqual([''])
  const closing = page.close()
  await desk.customer('+5511955552003', 'Vera Nóbrega', 'duas')
  await closing
  await desk.customer('+5511955552003', 'Vera Nóbrega', 'três')
  for (const tab of [second, third]) {
    await expect
      .poll(() => log(tab).getByRole('article').locator('p').allTextContents())
      .toEqual(['Oi', 'uma', 'duas', 'três'])
  }
  expect(streams).toHaveLength(2)
  expect(streams[1]).not.toBe('')
})
