// Measures the budgets of the app in Chromium against a running server with the demo. Started by "make bench ARGS='-run app'".
//
//   RECADO_URL=http://... RECADO_DEMO=.../demo.json CHROMIUM=... node bench/app.mjs
//
// PARTS=list,keys measures only these parts: start (first bytes, cold and warm), list (opening, heap, frames, reordering), keys (a long
// conversation), browsers (two of them, and a lost network).
//
// Prints one JSON object per line: {subject, p50, p95, max, unit, goal, met}.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const url = process.env.RECADO_URL
const demo = JSON.parse(readFileSync(process.env.RECADO_DEMO, 'utf8'))
const [company] = demo.companies
const conversations = Number(process.env.CONVERSATIONS ?? 10_000)
const messages = Number(process.env.MESSAGES ?? 10_000)
const wanted = (part) =>
  !process.env.PARTS || process.env.PARTS.split(',').includes(part)
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-precise-memory-info',
]

const quantile = (values, q) =>
  values.toSorted((a, b) => a - b)[
    Math.max(0, Math.ceil(values.length * q) - 1)
  ] ?? 0

/** tell prints a result. most is the budget for the quantile in the goal. */
function tell(subject, values, unit, goal, met) {
  console.log(
    JSON.stringify({
      subject,
      p50: quantile(values, 0.5),
      p95: quantile(values, 0.95),
      max: Math.max(...values),
      unit,
      goal,
      met,
    }),
  )
}
const p95 = (values, most) => quantile(values, 0.95) <= most

async function call(method, path, body) {
  const answer = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${company.api_key}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok)
    throw new Error(
      `${method} ${path}: ${answer.status} ${await answer.text()}`,
    )
  return answer.status === 204 ? {} : answer.json()
}
const customer = (from, name, text) =>
  call('POST', `/channels/${company.channel}/simulate`, { from, name, text })

const rows = (page) =>
  page.getByRole('listbox', { name: 'Conversations' }).getByRole('option')

/** many runs a task n times, 16 concurrently. */
async function many(n, task) {
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < n) await task(next++)
    }),
  )
}

await many(conversations, (i) =>
  customer(
    `+55119${String(20_000_000 + i)}`,
    `Cliente ${i}`,
    `Mensagem ${i}, com um texto de tamanho comum`,
  ),
)
await customer('+5511944440000', 'Conversa Longa', 'A primeira')
if (wanted('keys'))
  await many(messages, (i) =>
    customer(
      '+5511944440000',
      'Conversa Longa',
      `Linha ${i}: um texto de tamanho comum para esta conversa`,
    ),
  )

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: flags,
})
async function open(state) {
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    storageState: state,
  })
  return { context, page: await context.newPage() }
}
const first = await open()
await first.page.goto(url)
await first.page.getByRole('button', { name: 'Fill in' }).click()
await first.page.getByRole('button', { name: 'Sign in', exact: true }).click()
await rows(first.page).first().waitFor()
const state = await first.context.storageState()
await first.context.close()

/** noteUsable makes a page record when the first conversation of the list is painted. */
const noteUsable = (page) =>
  page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector('[role=option]')) return
      watch.disconnect()
      requestAnimationFrame(() =>
        setTimeout(() => (window.usableAt = performance.now())),
      )
    })
    watch.observe(document, { childList: true, subtree: true })
  })

/** usable returns the time from the navigation to that moment. It polls rarely, because polling uses the page's main thread. */
async function usable(cdp) {
  for (;;) {
    const { result } = await cdp.send('Runtime.evaluate', {
      expression: 'window.usableAt ?? 0',
    })
    if (result.value > 0) return result.value
    await pause(250)
  }
}
async function start() {
  const cold = [],
    warm = []
  let bytes = 0
  for (let round = 0; round < 3; round++) {
    const { context, page } = await open(state)
    const cdp = await context.newCDPSession(page)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await noteUsable(page)
    await page.goto(`${url}/inbox/open`, { waitUntil: 'commit' })
    cold.push(await usable(cdp))
    // Later requests, such as the conversation and the styles of dialogs, are not needed to show the inbox.
    bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(
          (one) =>
            /\.(js|css)$/.test(one.name) && one.startTime < window.usableAt,
        )
        .reduce((sum, one) => sum + one.encodedBodySize, 0),
    )
    for (let again = 0; again < 2; again++) {
      await page.goto(`${url}/inbox/open`, { waitUntil: 'commit' })
      warm.push(await usable(cdp))
    }
    await context.close()
  }
  tell(
    'initial JS and CSS, compressed',
    [bytes / 1000],
    'kB',
    'at most 260 kB',
    bytes <= 260_000,
  )
  tell(
    'inbox usable, cold, processor slowed 4 times',
    cold,
    'ms',
    'at most 2,000 ms',
    Math.max(...cold) <= 2000,
  )
  tell(
    'inbox usable, warm, processor slowed 4 times',
    warm,
    'ms',
    'at most 700 ms',
    Math.max(...warm) <= 700,
  )
}
if (wanted('start')) await start()

async function list() {
  const a = await open(state)
  const cdp = await a.context.newCDPSession(a.page)
  await a.page.goto(`${url}/inbox/open`)
  await rows(a.page).first().waitFor()

  /** opening clicks a row and waits until the conversation and its messages are painted. */
  const opening = (name) =>
    a.page.evaluate(async (wanted) => {
      const row = [...document.querySelectorAll('[role=option]')].find((one) =>
        one.textContent.startsWith(`${wanted},`),
      )
      const start = performance.now()
      row.click()
      while (
        document.querySelector('section h2')?.textContent !== wanted ||
        !document.querySelector('[role=log] article')
      )
        await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      return performance.now() - start
    }, name)
  const names = (await rows(a.page).allTextContents())
    .slice(0, 8)
    .map((text) => text.split(',')[0])
  await opening(names[0]) // loads the code of the screen
  const uncached = [],
    cached = []
  for (const name of names.slice(1)) uncached.push(await opening(name))
  for (let round = 0; round < 3; round++)
    for (const name of names.slice(1)) cached.push(await opening(name))
  tell(
    'opening a conversation, not cached',
    uncached,
    'ms',
    'p95 at most 250 ms',
    p95(uncached, 250),
  )
  tell(
    'opening a conversation, cached',
    cached,
    'ms',
    'p95 at most 80 ms',
    p95(cached, 80),
  )

  // All conversations in the list.
  const loaded = await a.page.evaluate(async (wanted) => {
    const scroll = document.querySelector('[role=listbox]').parentElement
    const end = performance.now() + 90_000
    const count = () =>
      Number(
        document.querySelector('[role=option]')?.getAttribute('aria-setsize') ??
          0,
      )
    while (count() < wanted && performance.now() < end) {
      scroll.scrollTop = scroll.scrollHeight
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return count()
  }, conversations)
  await cdp.send('HeapProfiler.collectGarbage')
  const heap = (await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6
  tell(
    `heap with ${loaded} conversations in the list`,
    [heap],
    'MB',
    'under 60 MB',
    heap < 60,
  )
  const frames = await a.page.evaluate(async () => {
    const scroll = document.querySelector('[role=listbox]').parentElement
    const gaps = []
    let last = performance.now()
    for (let frame = 0; frame < 240; frame++) {
      scroll.scrollTop -= 300
      await new Promise(requestAnimationFrame)
      gaps.push(performance.now() - last)
      last = performance.now()
    }
    return gaps
  })
  tell(
    'a frame while scrolling it',
    frames,
    'ms',
    'at most 50 ms',
    Math.max(...frames) <= 50,
  )
  // The main thread's processor time for a message until it is first in the list: script, style, layout and paint. Elapsed
  // time would include the server's work on the same processors. Counts are fetched again later.
  const busy = async () =>
    (await cdp.send('Performance.getMetrics')).metrics.find(
      (one) => one.name === 'TaskDuration',
    ).value * 1000
  const topRow = () =>
    a.page.evaluate(() => document.querySelector('[role=option]').textContent)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await a.page.evaluate(
    () =>
      (document.querySelector('[role=listbox]').parentElement.scrollTop = 0),
  )
  await pause(1000)
  const work = []
  for (let n = 0; n < 60; n++) {
    const name = `Cliente ${100 + n}`
    const before = await busy()
    await customer(`+55119${String(20_000_000 + 100 + n)}`, name, 'De novo')
    await pause(200)
    work.push((await busy()) - before)
    if (!(await topRow()).startsWith(name))
      throw new Error(`${name} is not first in the list`)
    await pause(500)
  }
  tell(
    'main thread for a new message that reorders the list',
    work,
    'ms',
    'p95 at most 16 ms',
    p95(work, 16),
  )
  await a.context.close()
}
if (wanted('list')) await list()

async function keys() {
  // A long conversation, loaded completely by scrolling up.
  const long = await open(state)
  await long.page.goto(`${url}/inbox/open?q=Conversa%20Longa`)
  await rows(long.page).first().click()
  await long.page.getByRole('article').first().waitFor()
  const lines = await long.page.evaluate(async () => {
    const scroll = document.querySelector('[role=log]')
    const end = performance.now() + 25_000
    while (performance.now() < end) {
      scroll.scrollTop = 0
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    return (
      Math.max(
        ...[...document.querySelectorAll('[role=log] [data-index]')].map(
          (one) => Number(one.dataset.index),
        ),
      ) && scroll.scrollHeight
    )
  })
  await long.page.evaluate(() => {
    window.keys = []
    new PerformanceObserver((list) =>
      window.keys.push(
        ...list
          .getEntries()
          .filter((one) => one.name === 'keydown')
          .map((one) => one.duration),
      ),
    ).observe({ type: 'event', durationThreshold: 16 })
  })
  const box = long.page.getByRole('textbox', { name: 'Message' })
  await box.focus()
  const typed = 'Uma resposta de tamanho comum, digitada letra por letra.'
  for (const letter of typed) {
    await long.page.keyboard.press(letter)
    await pause(40)
  }
  await pause(500)
  const slow = await long.page.evaluate(() => window.keys)
  const keys = [
    ...slow,
    ...Array.from(
      { length: Math.max(0, typed.length - slow.length) },
      () => 16,
    ),
  ]
  tell(
    `keystroke to paint, long conversation loaded by scrolling (${Math.round(lines / 1000)},000 px)`,
    keys,
    'ms',
    'p95 at most 32 ms',
    p95(keys, 32),
  )
  await box.fill('')
  await long.context.close()
}
if (wanted('keys')) await keys()

async function browsers() {
  // Two browsers.
  const [sender, reader] = [await open(state), await open(state)]
  await customer('+5511944440001', 'Duas Telas', 'Oi')
  for (const { page } of [sender, reader]) {
    await page.goto(`${url}/inbox/open?q=Duas%20Telas`)
    await rows(page).first().click()
    await page.getByRole('article').first().waitFor()
  }
  await pause(500)
  await reader.page.evaluate(() => {
    window.seen = {}
    new MutationObserver(() => {
      for (const one of document.querySelectorAll('[role=log] article p')) {
        const text = one.textContent
        if (text.startsWith('telas '))
          window.seen[text] ??= performance.timeOrigin + performance.now()
      }
    }).observe(document.querySelector('[role=log]'), {
      childList: true,
      subtree: true,
    })
  })
  const sent = {}
  const field = sender.page.getByRole('textbox', { name: 'Message' })
  for (let n = 0; n < 40; n++) {
    const text = `telas ${n}`
    await field.fill(text)
    sent[text] = await field.evaluate((element) => {
      const at = performance.timeOrigin + performance.now()
      element.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'Enter',
          bubbles: true,
          cancelable: true,
        }),
      )
      return at
    })
    await pause(150)
  }
  await pause(1500)
  const seen = await reader.page.evaluate(() => window.seen)
  const waits = Object.entries(sent).map(
    ([text, at]) => (seen[text] ?? Infinity) - at,
  )
  tell(
    'message from one browser to another',
    waits,
    'ms',
    'p50 at most 60 ms, p95 at most 200 ms',
    quantile(waits, 0.5) <= 60 && p95(waits, 200),
  )

  // A lost network.
  const back = []
  for (let round = 0; round < 3; round++) {
    await reader.context.setOffline(true)
    await reader.page.getByText('You are offline.').waitFor()
    await customer('+5511944440001', 'Duas Telas', `perdida ${round}`)
    await pause(1000)
    const start = performance.now()
    await reader.context.setOffline(false)
    await reader.page
      .getByRole('log')
      .getByText(`perdida ${round}`, { exact: true })
      .waitFor()
    await reader.page
      .getByText('You are offline.')
      .waitFor({ state: 'detached' })
    back.push(performance.now() - start)
  }
  tell(
    'connected again after a lost network, with what was missed',
    back,
    'ms',
    'at most 2,000 ms',
    Math.max(...back) <= 2000,
  )
}
if (wanted('browsers')) await browsers()
await browser.close()
