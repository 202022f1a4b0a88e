import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { dialog, log, message, open, row, rows, search } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const refused =
  /status of 40[13]|ERR_FAILED|ERR_CONNECTION|ERR_EMPTY|ERR_INCOMPLETE/
const sends = /\/v1\/conversations\/[^/]+\/messages$/

type Sent = { text: string; sent_by: { id: string } | null; direction: string }

/** sentIn returns the messages the team sent in a conversation, oldest first. */
async function sentIn(
  conversation: string,
): Promise<{ text: string; by: string | undefined }[]> {
  const { data } = (await desk.call(
    'GET',
    `/conversations/${conversation}/messages`,
  )) as { data: Sent[] }
  return data
    .filter((one) => one.direction === 'outbound')
    .map((one) => ({ text: one.text, by: one.sent_by?.id }))
    .reverse()
}

const send = async (page: Page, text: string) => {
  await message(page).fill(text)
  await message(page).press('Enter')
}

/** customer sends a message as a customer and returns the conversation. */
const customer = async (phone: string, name: string, text = 'Oi') =>
  (await desk.customer(phone, name, text)).conversation as string

it("does not send one user's messages as another user of the same browser", async () => {
  const conversation = await customer('+5511955553001', 'Ari Campos')
  const { page, context } = await desk.page({}, refused)
  const users: string[] = []
  context.on('request', (one) => {
    if (one.url().endsWith('/v1/live'))
      users.push(one.headers()['x-recado-user'] ?? '')
  })
  await desk.signIn(page)
  await open(page, 'Ari Campos')
  await page.route(sends, (route) => route.abort())
  await send(page, 'da Ana')
  await log(page)
    .getByRole('article', { name: /Queued$/ })
    .waitFor()
  const other = await context.newPage()
  await desk.signInAs(other, desk.colleague)
  // Each user has their own stream; nothing reaches the other user's tabs.
  await expect
    .poll(() => new Set(users))
    .toEqual(new Set([desk.company.user, desk.colleague]))
  await page.unroute(sends)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  const changed = dialog(page, 'Someone else signed in')
  await changed.waitFor()
  await open(other, 'Ari Campos')
  await send(other, 'do Bruno')
  await expect
    .poll(() => sentIn(conversation))
    .toEqual([{ text: 'do Bruno', by: desk.colleague }])
  await changed
    .getByRole('textbox', { name: 'Password' })
    .fill(desk.demo.login.password)
  await changed.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect
    .poll(() => sentIn(conversation))
    .toEqual([
      { text: 'do Bruno', by: desk.colleague },
      { text: 'da Ana', by: desk.company.user },
    ])
  await dialog(other, 'Someone else signed in').waitFor()
  await log(page).getByText('do Bruno', { exact: true }).waitFor()
})

/** left returns every place in browser storage that still contains a text. */
const left = (page: Page, text: string) =>
  page.evaluate(async (wanted) => {
    const found = Object.entries(localStorage)
      .filter(([, value]) => String(value).includes(wanted))
      .map(([key]) => key)
    for (const { name = '' } of await indexedDB.databases()) {
      const rows = await new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.onerror = () => reject(new Error(name))
        opening.onsuccess = () => {
          const all = opening.result
            .transaction('items')
            .objectStore('items')
            .getAll()
          all.onsuccess = () => resolve(all.result)
        }
      })
      if (JSON.stringify(rows).includes(wanted)) found.push(name)
    }
    return found
  }, text)

it('asks before discarding unsent messages at sign-out and leaves nothing behind', async () => {
  const conversation = await customer('+5511955553002', 'Bento Reis')
  const { page, context } = await desk.page({}, refused)
  await desk.signIn(page)
  await open(page, 'Bento Reis')
  const second = await context.newPage()
  await second.goto(page.url())
  await log(second).getByText('Oi', { exact: true }).waitFor()
  await context.route(sends, (route) => route.abort())
  await send(page, 'segredo um')
  await send(page, 'segredo dois')
  await message(page).fill('segredo três')
  await expect.poll(() => left(page, 'segredo')).toHaveLength(2)
  const leave = async () => {
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  await leave()
  const question = page.getByRole('alertdialog', { name: 'Sign out' })
  await question
    .getByText('You have 2 unsent messages. Sign out and discard them?')
    .waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect
    .poll(() =>
      log(page)
        .getByRole('article', { name: /Queued$/ })
        .count(),
    )
    .toBe(2)
  await leave()
  await question.getByRole('button', { name: 'Sign out and discard' }).click()
  for (const tab of [page, second])
    await tab.getByRole('main', { name: 'Sign in' }).waitFor()
  expect(await left(page, 'segredo')).toEqual([])
  await context.unroute(sends)
  await desk.signIn(page)
  await open(page, 'Bento Reis')
  await send(page, 'depois')
  await expect
    .poll(() => sentIn(conversation).then((all) => all.map((one) => one.text)))
    .toEqual(['depois'])
})

it('sends from memory in a window without storage, and shows a warning', async () => {
  const conversation = await customer('+5511955553003', 'Cora Dias')
  const { page } = await desk.page({}, refused)
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  await desk.signIn(page)
  await page
    .getByRole('status')
    .filter({ hasText: 'This browser can’t save unsent messages.' })
    .waitFor()
  await open(page, 'Cora Dias')
  await page.route(sends, (route) => route.abort())
  for (const text of ['um', 'dois', 'três']) await send(page, text)
  const attempted = page.waitForEvent('requestfailed', (one) =>
    sends.test(one.url()),
  )
  await attempted // the retry after the first attempt
  await page.unroute(sends)
  await expect
    .poll(() => sentIn(conversation).then((all) => all.map((one) => one.text)))
    .toEqual(['um', 'dois', 'três'])
  await expect
    .poll(() => log(page).getByRole('article').locator('p').allTextContents())
    .toEqual(['Oi', 'um', 'dois', 'três'])
})

it("shows that the server's disk is full and sends pending messages once there is room", async () => {
  const conversation = await customer('+5511955553010', 'Joca Lima')
  const { page } = await desk.page({}, /status of 507/)
  await desk.signIn(page)
  await open(page, 'Joca Lima')
  const full = {
    code: 'storage_full',
    message: 'The disk is full.',
    request_id: 'r',
    params: {},
    details: [],
  }
  await page.route(sends, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 507, json: full })
      : route.continue(),
  )
  await send(page, 'cabe?')
  const banner = page
    .getByRole('alert')
    .filter({ hasText: 'The server’s disk is full.' })
  await banner.waitFor()
  await log(page)
    .getByRole('article', { name: /Queued$/ })
    .waitFor()
  await page.unroute(sends)
  await banner.waitFor({ state: 'detached' })
  await expect
    .poll(() => sentIn(conversation).then((all) => all.map((one) => one.text)))
    .toEqual(['cabe?'])
})

it('shows a message that arrived while disconnected, even without an earlier event', async () => {
  await customer('+5511955553004', 'Davi Melo')
  const { page } = await desk.page({}, refused)
  let counted = 0
  page.on('response', (answer) => {
    if (answer.url().endsWith('/inbox/counts')) counted++
  })
  await desk.signIn(page)
  await open(page, 'Davi Melo')
  await expect.poll(() => counted).toBeGreaterThan(1) // the requests after the stream opened are done
  await desk.restart(async () => {
    await page.route('**/v1/live', (route) => route.abort())
  })
  await customer('+5511955553004', 'Davi Melo', 'nesse meio-tempo')
  await page.unroute('**/v1/live')
  await log(page).getByText('nesse meio-tempo', { exact: true }).waitFor()
  await customer('+5511955553004', 'Davi Melo', 'e agora')
  await log(page).getByText('e agora', { exact: true }).waitFor()
})

it('clears a draft that was sent from another device, on open and closed pages', async () => {
  await customer('+5511955553005', 'Elis Prado')
  await customer('+5511955553006', 'Elis Luz')
  const { page: phone } = await desk.page()
  const { page: desktop, context } = await desk.page()
  for (const page of [phone, desktop]) {
    await desk.signIn(page)
    await open(page, 'Elis Prado')
  }
  const draft = async (text: string) => {
    const kept = phone.waitForResponse(
      (one) => one.url().endsWith('/draft') && one.request().method() === 'PUT',
    )
    await message(phone).fill(text)
    await kept
    await expect.poll(() => message(desktop).inputValue()).toBe(text)
  }
  await draft('Sai agora')
  await search(desktop, 'Elis')
  await row(desktop, 'Elis Luz').click()
  await desktop.getByRole('heading', { name: 'Elis Luz' }).waitFor()
  await row(desktop, 'Elis Prado, Draft: Sai agora').waitFor()
  await message(phone).press('Enter')
  await row(desktop, 'Elis Prado, Sai agora').waitFor()
  await row(desktop, 'Elis Prado').click()
  await expect.poll(() => message(desktop).inputValue()).toBe('')
  await draft('Chega hoje')
  const address = desktop.url()
  await desktop.close()
  await message(phone).press('Enter')
  await log(phone)
    .getByRole('article', { name: /Queued$/ })
    .first()
    .waitFor({ state: 'detached' })
  const again = await context.newPage()
  await again.goto(address)
  await log(again).getByText('Chega hoje', { exact: true }).waitFor()
  await expect.poll(() => message(again).inputValue()).toBe('')
})

it('shows who is replying only while they are', async () => {
  await customer('+5511955553007', 'Gil Torres')
  await customer('+5511955553008', 'Hugo Sena')
  const { page: ana } = await desk.page()
  const { page: bruno } = await desk.page()
  await desk.signIn(ana)
  await desk.signInAs(bruno, desk.colleague)
  await open(ana, 'Gil Torres')
  await open(bruno, 'Gil Torres')
  const answering = bruno.getByRole('group').getByText(/is answering/)
  const soon = { timeout: 15_000 } // the state expires after 20 seconds in any case
  await message(ana).pressSequentially('Já vejo')
  await answering.waitFor()
  await message(ana).press('Enter')
  await answering.waitFor({ state: 'detached', ...soon })
  await message(ana).pressSequentially('Mais uma coisa')
  await answering.waitFor()
  await open(ana, 'Hugo Sena')
  await answering.waitFor({ state: 'detached', ...soon })
})

/** under serves several servers below one origin, like a proxy. */
async function under(
  desks: Record<string, Desk>,
): Promise<{ origin: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const found = Object.entries(desks).find(([base]) =>
      incoming.url?.startsWith(`${base}/`),
    )
    if (!found) return outgoing.writeHead(404).end()
    const { hostname, port } = new URL(found[1].url)
    const passed = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
  }
}

it('separates two installations on one origin', async () => {
  const [one, two] = await Promise.all([
    Desk.start({ base: '/one' }),
    Desk.start({ base: '/two' }),
  ])
  const { origin, server } = await under({ '/one': one, '/two': two })
  const context: BrowserContext = await one.browser.newContext({
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
  })
  try {
    const streams: string[] = []
    context.on('request', (request) => {
      if (request.url().endsWith('/v1/live'))
        streams.push(new URL(request.url()).pathname)
    })
    const tabs: Page[] = []
    for (const [base, installation] of [
      ['/one', one],
      ['/two', two],
    ] as const) {
      await installation.customer(
        '+5511955553009',
        `Íris ${base}`,
        `Oi ${base}`,
      )
      const page = await context.newPage()
      await installation.session(page)
      await page.goto(`${origin}${base}/`)
      await rows(page).getByRole('option').first().waitFor()
      await open(page, `Íris ${base}`)
      tabs.push(page)
    }
    await expect.poll(() => streams).toEqual(['/one/v1/live', '/two/v1/live'])
    const [first, second] = tabs as [Page, Page]
    await one.customer('+5511955553009', 'Íris /one', 'só da primeira')
    await two.customer('+5511955553009', 'Íris /two', 'só da segunda')
    await log(first).getByText('só da primeira', { exact: true }).waitFor()
    await log(second).getByText('só da segunda', { exact: true }).waitFor()
    await second
      .getByRole('searchbox', { name: 'Search conversations' })
      .fill('')
    await row(second, 'Íris /two').waitFor()
    expect(await row(second, 'Íris /one').count()).toBe(0)
    await second.evaluate(() => localStorage.clear())
    await message(second).fill('rascunho')
    const names = await second.evaluate(async () => [
      ...Object.keys(localStorage),
      ...(await indexedDB.databases()).map((database) => database.name),
    ])
    expect(
      names.filter((name) => !/^recado\/(one|two)\./.test(name ?? '')),
    ).toEqual([])
  } finally {
    await context.close()
    server.close()
    await Promise.all([one.stop(), two.stop()])
  }
})
