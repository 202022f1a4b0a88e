import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { dialog, log, open, rows, search } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ flags: ['--rate', '100000', '--burst', '100000'] })
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

/** many runs a task n times, 16 at a time. */
async function many(
  n: number,
  task: (i: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < n) await task(next++)
    }),
  )
}

/** settled waits until a message stays in place and returns it with its distance from the top of the thread. Without a text it is the first visible message. */
const settled = (page: Page, wanted?: string) =>
  page.evaluate(async (text) => {
    const textOf = (one: Element | undefined) =>
      one?.querySelector('p')?.textContent ?? ''
    const read = () => {
      const top =
        document.querySelector('[role=log]')?.getBoundingClientRect().top ?? 0
      const seen = [...document.querySelectorAll('[role=log] article')].find(
        (one) =>
          text === undefined
            ? one.getBoundingClientRect().top >= top
            : textOf(one) === text,
      )
      return {
        text: textOf(seen),
        from: Math.round((seen?.getBoundingClientRect().top ?? 0) - top),
      }
    }
    let last = read()
    for (let same = 0; same < 5; same++) {
      await new Promise(requestAnimationFrame)
      const now = read()
      if (now.text !== last.text || now.from !== last.from) same = -1
      last = now
    }
    return last
  }, wanted)

it(
  'scrolls through 10,000 messages without jumps and opens distant messages',
  { timeout: 600_000 },
  async () => {
    const from = '+5511955553001'
    const { conversation } = (await desk.customer(
      from,
      'Conversa Longa',
      'A primeira de todas',
    )) as { conversation: string }
    for (let n = 0; n < 200; n++)
      await desk.customer(from, 'Conversa Longa', `Começo ${n}`)
    await many(9_600, (n) =>
      desk.customer(
        from,
        'Conversa Longa',
        `Linha ${n}: ${'texto '.repeat(n % 40)}`,
      ),
    )
    for (let n = 0; n < 200; n++)
      await desk.customer(from, 'Conversa Longa', `Fim ${n}`)
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Conversa Longa')
    await page
      .getByRole('button', { name: 'Jump to newest' })
      .or(log(page).getByText('Fim 199', { exact: true }))
      .first()
      .waitFor()
    await expect
      .poll(async () => {
        await log(page).evaluate(
          (thread) => (thread.scrollTop = thread.scrollHeight),
        )
        return log(page).getByText('Fim 199', { exact: true }).isVisible()
      })
      .toBe(true)

    // Scroll up step by step: a line visible before and after a step moves by exactly that step.
    for (let step = 0; step < 60; step++) {
      const before = await settled(page)
      const moved = await log(page).evaluate((thread) => {
        const start = thread.scrollTop
        thread.scrollBy(0, -240)
        return start - thread.scrollTop
      })
      const after = await settled(page, before.text)
      if (after.text)
        expect({
          step,
          text: before.text,
          off: Math.abs(after.from - before.from - moved) <= 2,
        }).toEqual({ step, text: before.text, off: true })
    }

    // A distant message is shown with its context; new messages do not move it.
    const far = await oldest(conversation, 'Começo 100')
    await page.goto(`${desk.url}/inbox/open/${conversation}?message=${far}`)
    await log(page).getByText('Começo 100', { exact: true }).waitFor()
    await log(page).getByText('Começo 99', { exact: true }).waitFor()
    const placed = await settled(page)
    await desk.customer(from, 'Conversa Longa', 'Uma nova')
    await page.evaluate(async () => {
      for (let frame = 0; frame < 20; frame++)
        await new Promise(requestAnimationFrame)
    })
    await expect.poll(() => settled(page)).toEqual(placed)
    await page.getByRole('button', { name: /^Jump to newest/ }).click()
    await log(page).getByText('Uma nova', { exact: true }).waitFor()

    // A day starts with its first message.
    await page
      .getByRole('button', { name: 'More actions', exact: true })
      .click()
    await page.getByRole('menuitem', { name: 'Go to date' }).click()
    const first = (await desk.call(
      'GET',
      `/conversations/${conversation}/timeline?limit=1&at=2001-01-01T00:00:00Z`,
    )) as { data: { at: string }[] }
    const { company } = (await desk.call('GET', '/me')) as {
      company: { timezone: string }
    }
    const day = new Intl.DateTimeFormat('sv-SE', {
      timeZone: company.timezone,
    }).format(new Date(first.data[0]?.at ?? ''))
    await dialog(page, 'Go to date').getByLabel('Date').fill(day)
    await dialog(page, 'Go to date')
      .getByRole('button', { name: 'Go', exact: true })
      .click()
    await expect
      .poll(async () => (await settled(page)).text)
      .toBe('A primeira de todas')
    await page.evaluate(async () => {
      for (let frame = 0; frame < 20; frame++)
        await new Promise(requestAnimationFrame)
    })
    expect((await settled(page)).text).toBe('A primeira de todas')
  },
)

/** oldest returns a message near the start of a conversation by paging back from the end. */
async function oldest(conversation: string, text: string): Promise<string> {
  let before = ''
  for (;;) {
    const page = (await desk.call(
      'GET',
      `/conversations/${conversation}/messages?limit=100${before}`,
    )) as { data: { id: string; text: string }[]; before: string | null }
    const found = page.data.find((one) => one.text === text)
    if (found) return found.id
    if (!page.before) throw new Error(`no message ${text}`)
    before = `&before=${page.before}`
  }
}

it('selects with x, selects all matching, and updates more than 100 conversations', async () => {
  await many(130, (n) =>
    desk.customer(`+55119555${String(60_000 + n)}`, `Lote ${n}`, 'Promoção'),
  )
  const { page } = await desk.page()
  await desk.signIn(page)
  await search(page, 'Lote')
  await rows(page).getByRole('option', { name: /^Lote/ }).first().click()
  await page.getByRole('heading', { name: /^Lote/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('x')
  await page
    .getByRole('toolbar', { name: '1 selected' })
    .getByRole('button', { name: 'Select all matching' })
    .click()
  const calls: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/conversations/bulk'))
      calls.push((request.postDataJSON() as { ids: string[] }).ids.length)
  })
  const bar = page.getByRole('toolbar', { name: '130 selected' })
  await bar.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('130 conversations updated.').waitFor()
  await bar.waitFor({ state: 'detached' })
  expect(calls).toEqual([100, 30])
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')
  await page.getByRole('link', { name: /^Mine, \d{3,}$/ }).waitFor()
})

/** placeOf returns a row's index, the number of rows, and its distance to both ends of the list's viewport. */
const placeOf = (page: Page, which: 'open' | 'last') =>
  rows(page).evaluate((list, wanted) => {
    const row = [...list.querySelectorAll('[role=option]')].findLast(
      (one) => wanted === 'last' || one.ariaSelected === 'true',
    )
    const [inner, outer] = [
      row?.getBoundingClientRect(),
      list.parentElement?.getBoundingClientRect(),
    ]
    return {
      number: row?.ariaPosInSet,
      of: row?.ariaSetSize,
      above: Math.round((inner?.top ?? NaN) - (outer?.top ?? NaN)),
      below: Math.round((outer?.bottom ?? NaN) - (inner?.bottom ?? NaN)),
    }
  }, which)

it('renders the visible rows of a long list at its end, with Home and End, and after a search', async () => {
  await many(130, (n) =>
    desk.customer(`+55119555${String(70_000 + n)}`, `Fila ${n}`, 'Olá'),
  )
  const { page } = await desk.page()
  await desk.signIn(page)
  await search(page, 'Fila')
  await page.getByRole('button', { name: 'Show all conversations' }).click()
  await rows(page).getByRole('option', { name: /^Fila/ }).first().waitFor()
  const toEnd = () =>
    rows(page).evaluate((list) =>
      list.parentElement?.scrollTo(0, list.parentElement.scrollHeight),
    )
  await expect
    .poll(async () => toEnd().then(() => placeOf(page, 'last')))
    .toMatchObject({ number: '130', of: '130', below: 0 })
  await expect
    .poll(() => rows(page).evaluate((list) => list.parentElement?.scrollHeight))
    .toBe(130 * 82)

  await rows(page).focus()
  await page.keyboard.press('Home')
  await expect
    .poll(() => placeOf(page, 'open'))
    .toMatchObject({ number: '1', above: 0 })
  await page.keyboard.press('End')
  await expect
    .poll(() => placeOf(page, 'open'))
    .toMatchObject({ number: '130', below: 0 })

  await search(page, 'Fila 129')
  await expect
    .poll(() => placeOf(page, 'last'))
    .toMatchObject({ number: '1', of: '1', above: 0 })
})
