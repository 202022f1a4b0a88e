// Goes through the inbox by role and accessible name, as screen reader users do. The names are part of the agreement with
// everyone who tests or automates the app.
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk } from './desk'
import { all, dialog, hasFocus, open, row, rows, show } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

/** codeOf returns the current TOTP code of a secret (RFC 6238). */
function codeOf(secret: string): string {
  const bits = [...secret.replaceAll('=', '')]
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
        .indexOf(letter)
        .toString(2)
        .padStart(5, '0'),
    )
    .join('')
  const key = Buffer.from(
    bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  )
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const at = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(
    6,
    '0',
  )
}

describe('before sign-in', () => {
  it('names the fields and shows errors', async () => {
    const { page } = await desk.page({}, /status of 401/)
    await page.goto(`${desk.url}/`)
    const entrance = page.getByRole('main', { name: 'Sign in' })
    await all(entrance, 'textbox', ['E-mail', 'Password'])
    await all(entrance, 'button', ['Show password', 'Sign in', 'Fill in'])
    const language = entrance.getByRole('combobox', { name: 'Language' })
    for (const [value, name] of [
      ['pt-BR', 'Entrar'],
      ['es', 'Iniciar sesión'],
      ['en', 'Sign in'],
    ] as const) {
      await page.locator('select').selectOption(value)
      await page.getByRole('main', { name }).waitFor()
      await expect
        .poll(() => page.locator('html').getAttribute('lang'))
        .toBe(value)
    }
    await language.waitFor()
    await entrance
      .getByRole('textbox', { name: 'Password' })
      .fill('not the password')
    await entrance.getByRole('button', { name: 'Show password' }).click()
    await expect
      .poll(() =>
        entrance
          .getByRole('textbox', { name: 'Password' })
          .getAttribute('type'),
      )
      .toBe('text')
    await entrance
      .getByRole('textbox', { name: 'E-mail' })
      .fill('nobody@aurora.example')
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await entrance
      .getByRole('alert')
      .filter({ hasText: 'E-mail or password is wrong.' })
      .waitFor()
  })

  it('asks for a code if two-factor sign-in is on', async () => {
    const { page, context } = await desk.page({}, /status of 401/)
    await desk.signInAs(page, desk.colleague)
    const { email, secret } = await page.evaluate(async () => {
      const post = async (path: string, body: object) =>
        (
          await fetch(`/v1${path}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).json()
      const session = (await (await fetch('/v1/session')).json()) as {
        user: { email: string }
      }
      const { secret: made } = (await post('/me/two-factor', {
        password: 'correct horse battery',
      })) as { secret: string }
      return { email: session.user.email, secret: made }
    })
    await page.evaluate(
      (code) =>
        fetch('/v1/me/two-factor/confirm', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ code }),
        }),
      codeOf(secret),
    )
    await context.clearCookies()
    await page.goto(`${desk.url}/`)
    const entrance = page.getByRole('main', { name: 'Sign in' })
    await entrance.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await entrance
      .getByRole('textbox', { name: 'Password' })
      .fill('correct horse battery')
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await entrance
      .getByRole('textbox', { name: 'Code', exact: true })
      .fill('000000')
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await entrance
      .getByRole('alert')
      .filter({ hasText: 'Incorrect code.' })
      .waitFor()
  })

  it('opens an invitation as "Welcome"', async () => {
    const invitation = await desk.call('POST', '/team/invitations', {
      email: 'nova@aurora.example',
      name: 'Nova Pessoa',
      role: 'agent',
    })
    const { page } = await desk.page()
    await page.goto(String(invitation.url))
    const welcome = page.getByRole('main', { name: 'Welcome' })
    await all(welcome, 'textbox', ['E-mail', 'Your name', 'Password'])
    await welcome
      .getByRole('textbox', { name: 'Password' })
      .fill('correct horse battery')
    await welcome.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
    await expect
      .poll(() =>
        page.getByRole('link', { name: 'Report', exact: true }).count(),
      )
      .toBe(0)
  })
})

describe('too many wrong passwords', () => {
  it('show how long to wait', async () => {
    const other = await Desk.start() // other sign-ins from this address are throttled as well
    try {
      const { page } = await other.page({}, /status of (401|429)/)
      await page.goto(`${other.url}/`)
      const entrance = page.getByRole('main', { name: 'Sign in' })
      await entrance
        .getByRole('textbox', { name: 'E-mail' })
        .fill('nobody@aurora.example')
      await entrance
        .getByRole('textbox', { name: 'Password' })
        .fill('not the password')
      const throttled = entrance
        .getByRole('alert')
        .filter({ hasText: /^Try again in \d+ seconds\.$/ })
      for (let n = 0; n < 12 && (await throttled.count()) === 0; n++) {
        await entrance
          .getByRole('button', { name: 'Sign in', exact: true })
          .click()
        await entrance.getByRole('alert').waitFor()
        await expect
          .poll(() =>
            entrance
              .getByRole('button', { name: 'Sign in', exact: true })
              .isEnabled(),
          )
          .toBe(true)
      }
      await throttled.waitFor()
      expect(other.problems).toEqual([])
    } finally {
      await other.stop()
    }
  })
})

describe('an empty company', () => {
  it('is set up, and every view has an empty state with one action', async () => {
    const fresh = await Desk.start({ demo: false })
    try {
      const found = () =>
        /https?:\/\/\S+#\/setup\?token=[^\s"\\]+/.exec(fresh.output())?.[0]
      await expect.poll(found).toBeTruthy()
      const { page } = await fresh.page()
      await page.goto(found() ?? '')
      const setUp = page.getByRole('main', { name: 'Set up Recado' })
      await all(setUp, 'textbox', [
        'Company name',
        'Your name',
        'E-mail',
        'Password',
      ])
      await setUp.getByRole('combobox', { name: 'Time zone' }).waitFor()
      await setUp
        .getByRole('textbox', { name: 'Company name' })
        .fill('Padaria Central')
      await setUp.getByRole('textbox', { name: 'Your name' }).fill('Rita Lopes')
      await setUp
        .getByRole('textbox', { name: 'E-mail' })
        .fill('rita@example.com')
      await setUp
        .getByRole('textbox', { name: 'Password' })
        .fill('correct horse battery')
      await setUp.getByRole('button', { name: 'Create company' }).click()
      await page.getByRole('button', { name: 'Add a test number' }).waitFor()
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Inbox', exact: true })
        .click()
      for (const name of [
        'Waiting',
        'Mine',
        'All open',
        'Unread',
        'Snoozed',
        'Closed',
      ]) {
        await page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name, exact: true })
          .click()
        await page
          .getByRole('region', { name: 'List' })
          .getByRole('status')
          .getByRole('link', { name: 'Connect a number', exact: true })
          .waitFor()
      }
      expect(fresh.problems).toEqual([])
    } finally {
      await fresh.stop()
    }
  })
})

describe('everywhere', () => {
  it('names the shell', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await page
      .getByRole('link', { name: 'Skip to content', exact: true })
      .waitFor({ state: 'attached' })
    await all(page.getByRole('navigation', { name: 'Main' }), 'link', [
      'Inbox',
      'Contacts',
      'Boards',
      'Report',
      'Settings',
    ])
    await page
      .getByRole('button', { name: 'Account, Ana Ribeiro', exact: true })
      .click()
    await all(page, 'menuitem', ['Profile', 'Keyboard shortcuts', 'Sign out'])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('[aria-live=polite]').count()).toBe(1)
    await page.keyboard.press('Control+k')
    const palette = dialog(page, 'Search and commands')
    await palette.getByRole('searchbox').fill('ATD-')
    await palette.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page
      .getByRole('button', { name: 'Search and commands', exact: true })
      .click()
    await palette.getByRole('searchbox').fill('Camila')
    await palette
      .getByRole('option', { name: /Camila Rocha/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Camila Rocha' }).waitFor()
    await hasFocus(page.getByRole('textbox', { name: 'Message' }))
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await dialog(page, 'Keyboard shortcuts')
      .getByRole('button', { name: 'Dismiss' })
      .click()
  })

  it('announces a new version and reloads only on request', async () => {
    const { page } = await desk.page({}, /net::ERR_/)
    await desk.signIn(page)
    await rows(page).getByRole('option').first().waitFor()
    await page.route('**/app/version', (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'another' }),
    )
    await desk.restart(async () => {
      await page
        .getByRole('status')
        .filter({ hasText: 'Reconnecting. What you write is kept.' })
        .waitFor()
    })
    const banner = page
      .getByRole('status')
      .filter({ hasText: 'A new version is ready.' })
    await banner.getByRole('button', { name: 'Reload', exact: true }).click()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
    await expect.poll(() => banner.count()).toBe(0)
  })

  it('announces a new version even if the first connection failed', async () => {
    const { page } = await desk.page({}, /ERR_FAILED/)
    await page.route('**/v1/live', (route) => route.abort(), { times: 1 })
    await page.route('**/app/version', (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'another' }),
    )
    await desk.signIn(page)
    await page
      .getByRole('status')
      .filter({ hasText: 'A new version is ready.' })
      .waitFor()
  })

  it('shows an error with the request id if something cannot be loaded', async () => {
    const { page } = await desk.page({}, /status of 500/)
    await desk.signIn(page)
    let broken = true
    await page.route('**/v1/conversations?*', (route) =>
      broken
        ? route.fulfill({
            status: 500,
            contentType: 'application/json',
            headers: { 'X-Request-Id': 'r-123' },
            body: '{"code":"internal","message":"It broke.","request_id":"r-123","details":[]}',
          })
        : route.continue(),
    )
    await page.clock.install()
    await page.getByRole('link', { name: 'Closed', exact: true }).click()
    await page.clock.runFor(20_000)
    const alert = page.getByRole('region', { name: 'List' }).getByRole('alert')
    await alert.getByText('r-123').waitFor()
    broken = false
    await alert.getByRole('button', { name: 'Try again', exact: true }).click()
    await rows(page).getByRole('option').first().waitFor()
  })
})

describe('the inbox', () => {
  it('names views, search, filters, order and rows', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    const views = page.getByRole('navigation', { name: 'Views' })
    for (const name of ['Waiting', 'Mine', 'All open', 'Unread'])
      await views
        .getByRole('link', { name: new RegExp(`^${name}, \\d+$`) })
        .waitFor()
    await all(views, 'link', ['Snoozed', 'Closed'])
    for (const sector of ['Vendas', 'Entregas', 'Financeiro'])
      await views
        .getByRole('link', { name: new RegExp(`^${sector}(, \\d+)?$`) })
        .waitFor()
    await show(page, /^All open/)
    await page
      .getByRole('searchbox', { name: 'Search conversations', exact: true })
      .waitFor()
    await expect
      .poll(() =>
        page
          .getByRole('combobox', { name: 'Sort', exact: true })
          .locator('option')
          .allTextContents(),
      )
      .toEqual(['Newest message', 'Waiting longest'])
    await page
      .getByRole('button', { name: 'New conversation', exact: true })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await all(page, 'combobox', [
      'Channel',
      'Department',
      'Person',
      'Label',
      'Kind',
    ])
    await page.getByRole('button', { name: 'Save view', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await rows(page)
      .getByRole('option', {
        name: /^Lia Monteiro, 2 unread, Consegue trocar .*/,
      })
      .waitFor()
    await page
      .getByRole('combobox', { name: 'Sort', exact: true })
      .selectOption('Waiting longest')
    await expect
      .poll(() => new URL(page.url()).searchParams.get('sort'))
      .toBe('oldest_waiting')
  })

  it('shows the type of media and the status of replies in previews', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await page.getByRole('link', { name: /^All open/ }).click()
    await rows(page)
      .getByRole('option', {
        name: /^Patrícia Gomes, 2 unread, É para o aniversário/,
      })
      .waitFor()
    const sends = async (name: string, content: BlobPart) => {
      const form = new FormData()
      form.append('file', new File([content], name))
      const media = (await (
        await fetch(`${desk.url}/v1/media`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${desk.company.api_key}` },
          body: form,
        })
      ).json()) as { id: string }
      return desk.call('POST', `/channels/${desk.company.channel}/simulate`, {
        from: '+5511955554009',
        name: 'Manda Arquivos',
        media_id: media.id,
      })
    }
    await sends('proposta.txt', 'plain text')
    await rows(page)
      .getByRole('option', {
        name: /^Manda Arquivos, 1 unread, proposta\.txt, \d\d:\d\d$/,
      })
      .waitFor()
    const frames = Uint8Array.from({ length: 50 * 42 * 13 }, (_, at) =>
      at % 13 === 0 ? 4 : 0,
    ) // 42 seconds of AMR
    const { conversation } = (await sends(
      'voz.amr',
      new Blob(['#!AMR\n', frames]),
    )) as { conversation: string }
    await rows(page)
      .getByRole('option', {
        name: /^Manda Arquivos, 2 unread, Voice message, 0:42, \d\d:\d\d$/,
      })
      .waitFor()
    const sent = await desk.call(
      'POST',
      `/conversations/${conversation}/messages`,
      { client_id: crypto.randomUUID(), text: 'Recebido' },
    )
    const answered = rows(page).getByRole('option', {
      name: /^Manda Arquivos, .*Recebido, \d\d:\d\d$/,
    })
    const tick = (name: string) =>
      answered.getByRole('img', { name, exact: true, includeHidden: true }) // the tick is the row's description
    await tick('Sent').waitFor()
    for (const status of ['delivered', 'read'])
      await desk.call('POST', `/channels/${desk.company.channel}/simulate`, {
        external_id: sent.external_id,
        status,
      })
    await tick('Read').waitFor()
  })

  it('opens a case by its protocol and offers the message search', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Lia Monteiro')
    const protocol = (
      (await page
        .getByRole('button', { name: /^Copy protocol ATD-\d{6}$/ })
        .getAttribute('aria-label')) ?? ''
    ).replace('Copy protocol ', '')
    await page
      .getByRole('searchbox', { name: 'Search conversations' })
      .fill(protocol)
    await page.getByRole('button', { name: `Open ${protocol}` }).click()
    await page.getByRole('heading', { name: 'Lia Monteiro' }).waitFor()
    await page
      .getByRole('searchbox', { name: 'Search conversations' })
      .fill('boleto')
    await page
      .getByRole('button', { name: /^Search messages for .boleto.$/ })
      .waitFor()
  })

  it('keeps the order while the list is hovered and applies updates on request', async () => {
    const { page } = await desk.page()
    const first = () => rows(page).getByRole('option').first().textContent()
    await desk.signIn(page)
    const pinned = (
      (await desk.call('GET', '/conversations')).data as {
        id: string
        pinned: boolean
      }[]
    ).filter((one) => one.pinned)
    for (const { id } of pinned)
      await desk.call('PATCH', `/conversations/${id}`, { pinned: false })
    await desk.customer('+5511955554000', 'Nova Zero', 'Oi')
    await show(page, /^All open/)
    await expect.poll(first).toMatch(/^Nova Zero/)
    await rows(page).getByRole('option').first().hover()
    await desk.customer('+5511955554001', 'Nova Um', 'Oi')
    await page.getByRole('button', { name: '1 update', exact: true }).waitFor()
    await desk.customer('+5511955554002', 'Nova Dois', 'Oi')
    await desk.customer('+5511955554003', 'Nova Três', 'Oi')
    await expect.poll(first).toMatch(/^Nova Zero/)
    await page.getByRole('button', { name: '3 updates', exact: true }).click()
    await expect.poll(first).toMatch(/^Nova Três/)
    // Leaving the list applies them as well.
    await rows(page).getByRole('option').first().hover()
    await desk.customer('+5511955554004', 'Nova Quatro', 'Oi')
    await page.getByRole('button', { name: '1 update', exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Views' }).hover()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await expect.poll(first).toMatch(/^Nova Quatro/)
  })

  it('keeps the row of the open conversation even if it no longer matches', async () => {
    await desk.customer('+5511955554005', 'Fica na Lista', 'Oi')
    const { page } = await desk.page()
    await desk.signIn(page)
    await row(page, 'Fica na Lista').click()
    await page
      .getByRole('button', { name: 'Assign to me', exact: true })
      .click()
    await page
      .getByRole('button', { name: 'Assign to me', exact: true })
      .waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Views' }).hover()
    await row(page, 'Fica na Lista').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/inbox\/waiting\//)
  })

  it('names the selection', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await show(page, /^All open/)
    await page
      .getByRole('checkbox', { name: 'Select Lia Monteiro', exact: true })
      .check()
    await page
      .getByRole('checkbox', { name: 'Select Rafael Costa', exact: true })
      .check()
    const bar = page.getByRole('toolbar', { name: '2 selected', exact: true })
    await all(bar, 'button', [
      'Assign to me',
      'Transfer',
      'Close',
      'Mark as read',
      'More',
      'Select all matching',
    ])
    await bar.getByRole('button', { name: 'More', exact: true }).click()
    await all(page, 'menuitem', ['Mark as unread', 'Snooze', 'Archive'])
  })
})
