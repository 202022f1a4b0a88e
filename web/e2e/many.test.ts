import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { dialog, log, open, rows } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ flags: ['--rate', '100000', '--burst', '100000'] })
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

/** many runs a task n times, 16 at once. */
async function many(n: number, task: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < n) await task(next++)
  }))
}

/** firstVisible is the text of the first message in view and how far it is from the top of the thread. */
const firstVisible = (page: Page) =>
  page.evaluate(() => {
    const thread = document.querySelector('[role=log]')
    const top = thread?.getBoundingClientRect().top ?? 0
    const seen = [...document.querySelectorAll('[role=log] article')].find((one) => one.getBoundingClientRect().top >= top)
    return { text: seen?.querySelector('p')?.textContent ?? '', from: Math.round((seen?.getBoundingClientRect().top ?? 0) - top) }
  })

it('scrolls through 10,000 messages without a jump, goes to a message far away and back', { timeout: 240_000 }, async () => {
  const from = '+5511955553001'
  const { conversation } = (await desk.customer(from, 'Conversa Longa', 'A primeira de todas')) as { conversation: string }
  for (let n = 0; n < 200; n++) await desk.customer(from, 'Conversa Longa', `Começo ${n}`)
  await many(9_600, (n) => desk.customer(from, 'Conversa Longa', `Linha ${n}: ${'texto '.repeat(n % 40)}`))
  for (let n = 0; n < 200; n++) await desk.customer(from, 'Conversa Longa', `Fim ${n}`)
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Conversa Longa')
  await page.getByRole('button', { name: 'Jump to newest' }).or(log(page).getByText('Fim 199', { exact: true })).first().waitFor()
  await log(page).evaluate((thread) => (thread.scrollTop = thread.scrollHeight))
  await log(page).getByText('Fim 199', { exact: true }).waitFor()

  // Step by step, as a reader goes up: a line that is in view before and after a step has moved by the step and no more.
  for (let step = 0; step < 60; step++) {
    const before = await firstVisible(page)
    const moved = await page.evaluate(async () => {
      const thread = document.querySelector('[role=log]')
      if (!thread) return 0
      const start = thread.scrollTop
      thread.scrollBy(0, -240)
      const by = start - thread.scrollTop
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
      return by
    })
    const place = await page.evaluate((text) => {
      const thread = document.querySelector('[role=log]')
      const same = [...document.querySelectorAll('[role=log] article')].find((one) => one.querySelector('p')?.textContent === text)
      return same && thread ? Math.round(same.getBoundingClientRect().top - thread.getBoundingClientRect().top) : null
    }, before.text)
    if (place !== null) expect({ step, text: before.text, off: Math.abs(place - before.from - moved) <= 2 }).toEqual({ step, text: before.text, off: true })
  }

  // A message far away is shown with what stands around it; new ones do not move it.
  const far = await oldest(conversation, 'Começo 100')
  await page.goto(`${desk.url}/inbox/open/${conversation}?message=${far}`)
  await log(page).getByText('Começo 100', { exact: true }).waitFor()
  await log(page).getByText('Começo 99', { exact: true }).waitFor()
  const placed = await firstVisible(page)
  await desk.customer(from, 'Conversa Longa', 'Uma nova')
  await page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame)
  })
  expect(await firstVisible(page)).toEqual(placed)
  await page.getByRole('button', { name: /^Jump to newest/ }).click()
  await log(page).getByText('Uma nova', { exact: true }).waitFor()

  // A day begins with its first message.
  await page.getByRole('button', { name: 'More actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Go to date' }).click()
  const first = (await desk.call('GET', `/conversations/${conversation}/timeline?limit=1&at=2001-01-01T00:00:00Z`)) as { data: { at: string }[] }
  const { company } = (await desk.call('GET', '/me')) as { company: { timezone: string } }
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: company.timezone }).format(new Date(first.data[0]?.at ?? ''))
  await dialog(page, 'Go to date').getByLabel('Date').fill(day)
  await dialog(page, 'Go to date').getByRole('button', { name: 'Go', exact: true }).click()
  await expect.poll(async () => (await firstVisible(page)).text).toBe('A primeira de todas')
  await page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame)
  })
  expect((await firstVisible(page)).text).toBe('A primeira de todas')
})

/** oldest finds a message near the beginning of a conversation by going back through its pages from the other end. */
async function oldest(conversation: string, text: string): Promise<string> {
  let before = ''
  for (;;) {
    const page = (await desk.call('GET', `/conversations/${conversation}/messages?limit=100${before}`)) as { data: { id: string; text: string }[]; before: string | null }
    const found = page.data.find((one) => one.text === text)
    if (found) return found.id
    if (!page.before) throw new Error(`no message ${text}`)
    before = `&before=${page.before}`
  }
}

it('selects with x, adds all that match, and does one thing with more than 100 conversations', { timeout: 120_000 }, async () => {
  await many(130, (n) => desk.customer(`+55119555${String(60_000 + n)}`, `Lote ${n}`, 'Promoção'))
  const { page } = await desk.page()
  await desk.signIn(page)
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('Lote')
  await rows(page).getByRole('option', { name: /^Lote/ }).first().click()
  await page.getByRole('heading', { name: /^Lote/ }).waitFor()
  await page.keyboard.press('x')
  await page.getByRole('toolbar', { name: '1 selected' }).getByRole('button', { name: 'Select all matching' }).click()
  const calls: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/conversations/bulk')) calls.push((request.postDataJSON() as { ids: string[] }).ids.length)
  })
  const bar = page.getByRole('toolbar', { name: '130 selected' })
  await bar.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('130 conversations changed.').waitFor()
  await bar.waitFor({ state: 'detached' })
  expect(calls).toEqual([100, 30])
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')
  await page.getByRole('link', { name: /^Mine, \d{3,}$/ }).waitFor()
})
