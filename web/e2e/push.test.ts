import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it as test } from 'vitest'
import { Desk, wholeChromium } from './desk'
import { axe, hasFocus, log } from './parts'

const it = test.skipIf(!wholeChromium)

// Below a base path, as behind a proxy: the worker and the manifest depend on it.
let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ base: '/desk', chromium: wholeChromium })
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}
const origin = () => new URL(desk.url).origin

type Recorded = Window & {
  badges: number[]
  here?: boolean
  subscribed?: PushSubscriptionJSON | null
}

/** allow lets the context show notifications, which headless browsers cannot ask for. */
const allow = (context: BrowserContext) =>
  context.grantPermissions(['notifications'], { origin: origin() })

/** working opens the inbox and waits for the service worker. It returns a function that delivers a push to it. */
async function working(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page)
  let registration = ''
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registration = registrations.at(-1)?.registrationId ?? registration
  })
  await session.send('ServiceWorker.enable')
  await desk.signIn(page)
  const scope = await page.evaluate(
    async () => (await navigator.serviceWorker.ready).scope,
  )
  expect(scope).toBe(`${desk.url}/`)
  await expect.poll(() => registration).not.toBe('')
  return (data: string | object) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: origin(),
      registrationId: registration,
      data: typeof data === 'string' ? data : JSON.stringify(data),
    })
}

/** shown returns the notifications of the worker, without those of other conversations if a tag is given. */
const shown = (page: Page, tag?: string) =>
  page.evaluate(async (tag) => {
    const worker = await navigator.serviceWorker.ready
    const all = await worker.getNotifications(tag ? { tag } : {})
    return all.map((one) => ({
      title: one.title,
      body: one.body,
      tag: one.tag,
      icon: one.icon.slice(0, 15),
    }))
  }, tag)

/** tap clicks the notification of a conversation. The event is made by a script, so the browser allows it no new windows. */
const tap = (page: Page, tag: string) =>
  page
    .context()
    .serviceWorkers()[0]
    ?.evaluate(async (tag) => {
      const worker = globalThis as unknown as {
        registration: ServiceWorkerRegistration
        NotificationEvent: new (
          type: string,
          init: { notification: Notification },
        ) => Event
      }
      const [notification] = await worker.registration.getNotifications({ tag })
      if (!notification) throw new Error('there is no notification')
      globalThis.dispatchEvent(
        new worker.NotificationEvent('notificationclick', { notification }),
      )
    }, tag)

it('shows pushes, one per conversation, and opens the conversation without loading the page again', async () => {
  const { conversation } = (await desk.customer(
    '+5511955553001',
    'Rita Sá',
    'Bom dia',
  )) as { conversation: string }
  const { page, context } = await desk.page({ serviceWorkers: 'allow' })
  await allow(context)
  const push = await working(page)
  await push({ conversation, title: 'Rita Sá', text: 'Bom dia' })
  await expect
    .poll(() => shown(page, conversation))
    .toEqual([
      {
        title: 'Rita Sá',
        body: 'Bom dia',
        tag: conversation,
        icon: 'data:image/png;',
      },
    ])
  await push({ conversation, title: 'Rita Sá', text: '' })
  await expect
    .poll(async () => (await shown(page, conversation)).map(({ body }) => body))
    .toEqual([''])
  await push('not JSON')
  await expect
    .poll(() => shown(page, 'recado'))
    .toMatchObject([{ title: 'Recado', body: 'You have a new notification.' }])

  await page.evaluate(() => ((window as unknown as Recorded).here = true))
  await tap(page, conversation)
  await page.getByRole('heading', { name: 'Rita Sá' }).waitFor()
  await log(page).getByText('Bom dia').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/desk/inbox/open/${conversation}`)
  expect(await page.evaluate(() => (window as unknown as Recorded).here)).toBe(
    true,
  )
  expect(await page.evaluate(() => caches.keys())).toEqual([])
})

it('opens a new window if none is open, and shows the number of unread notifications on the icon', async () => {
  const { conversation } = (await desk.customer(
    '+5511955553002',
    'Caio Brito',
    'Oi',
  )) as { conversation: string }
  const { page, context } = await desk.page({ serviceWorkers: 'allow' })
  await allow(context)
  await page.addInitScript(() => {
    const page = window as unknown as Recorded
    page.badges = []
    navigator.setAppBadge = async (n = 0) => void page.badges.push(n)
    navigator.clearAppBadge = async () => void page.badges.push(0)
  })
  const push = await working(page)
  const badges = () =>
    page.evaluate(() => (window as unknown as Recorded).badges.at(-1))
  const counted = async () =>
    Number(
      /\d+/.exec(
        (await page
          .getByRole('button', { name: /^Notifications/ })
          .getAttribute('aria-label')) ?? '',
      )?.[0] ?? 0,
    )
  await expect
    .poll(async () => (await badges()) === (await counted()))
    .toBe(true)

  const worker = context.serviceWorkers()[0]
  await worker?.evaluate(() => {
    const scope = globalThis as unknown as {
      opened: string[]
      badges: number[]
      clients: { openWindow: (url: string) => Promise<null> }
    }
    scope.opened = []
    scope.badges = []
    scope.clients.openWindow = async (url) => {
      scope.opened.push(url)
      return null
    }
    navigator.setAppBadge = async (n = 0) => void scope.badges.push(n)
    navigator.clearAppBadge = async () => void scope.badges.push(0)
  })
  await push({ conversation, title: 'Caio Brito', text: 'Oi' })
  await expect.poll(() => shown(page, conversation)).toHaveLength(1)
  const inWorker = (name: 'opened' | 'badges') =>
    worker?.evaluate(
      (name) =>
        (globalThis as unknown as Record<string, unknown[]>)[name] ?? [],
      name,
    )
  await expect
    .poll(async () => (await inWorker('badges'))?.at(-1) === (await counted()))
    .toBe(true)
  await page.goto('about:blank')
  await tap(page, conversation)
  await expect
    .poll(() => inWorker('opened'))
    .toEqual([`${desk.url}/inbox/open/${conversation}`])
})

it('shows a page in the language of the person while the server cannot be reached', async () => {
  const { page, context } = await desk.page(
    { serviceWorkers: 'allow', colorScheme: 'light' },
    /status of 503|ERR_INTERNET_DISCONNECTED/,
  )
  await working(page)
  await page.evaluate(() => localStorage.setItem('recado/desk.language', 'es'))
  await context.setOffline(true)
  await page.goto(`${desk.url}/inbox/mine`)
  await page
    .getByRole('heading', { name: 'Sin conexión con Recado', level: 1 })
    .waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('es')
  await page.evaluate(() => localStorage.setItem('recado/desk.colors', 'dark'))
  await page.keyboard.press('Tab')
  await hasFocus(page.getByRole('button', { name: 'Intentar de nuevo' }))
  await page.keyboard.press('Enter')
  await page.locator('html[data-theme=dark]').waitFor()
  await page.evaluate(() => localStorage.removeItem('recado/desk.colors'))
  await page.setViewportSize(phone.viewport)
  await page.reload()
  await page.locator('html[data-theme=auto]').waitFor()
  await context.setOffline(false)
  await page.getByRole('listbox').first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/desk/inbox/mine')
})

it('can be installed, with icons and shortcuts in the language of the page', async () => {
  const { page, context } = await desk.page({ serviceWorkers: 'allow' })
  const session = await context.newCDPSession(page)
  await working(page)
  const manifest = async () => {
    const { url, errors, data } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    return {
      url,
      ...(JSON.parse(data ?? '{}') as {
        id: string
        start_url: string
        scope: string
        display: string
        icons: { src: string; sizes: string; purpose: string }[]
        shortcuts: { name: string; url: string }[]
      }),
    }
  }
  const english = await manifest()
  expect(english).toMatchObject({
    id: '/desk/',
    start_url: '/desk/',
    scope: '/desk/',
    display: 'standalone',
  })
  expect(english.shortcuts.map(({ name, url }) => [name, url])).toEqual([
    ['Inbox', '/desk/inbox'],
    ['My conversations', '/desk/inbox/mine'],
    ['Contacts', '/desk/contacts'],
  ])
  for (const { src, sizes } of english.icons)
    expect(
      await page.evaluate(async (src) => {
        const image = new Image()
        image.src = src
        await image.decode()
        return `${image.naturalWidth}x${image.naturalHeight}`
      }, src),
    ).toMatch(sizes === 'any' ? /^\d+x\d+$/ : sizes)
  const { installabilityErrors } = await session.send(
    'Page.getInstallabilityErrors',
  )
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual([
    'in-incognito', // every context of a test is
  ])
  await page.evaluate(() =>
    localStorage.setItem('recado/desk.language', 'pt-BR'),
  )
  await page.reload()
  await page.locator('html[lang=pt-BR]').waitFor()
  await expect
    .poll(async () => (await manifest()).shortcuts[1]?.name)
    .toBe('Minhas conversas')
})

/** pretend replaces the browser's push service, which tests cannot reach. */
async function pretend(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const key = 'test.subscribed'
    const made = () => {
      const json = localStorage.getItem(key)
      return json === null
        ? null
        : {
            endpoint: (JSON.parse(json) as PushSubscriptionJSON).endpoint,
            toJSON: () => JSON.parse(json) as PushSubscriptionJSON,
            unsubscribe: async () => {
              localStorage.removeItem(key)
              return true
            },
          }
    }
    const url = (bytes: Uint8Array) =>
      btoa(String.fromCharCode(...bytes))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '')
    Object.assign(PushManager.prototype, {
      getSubscription: async () => made(),
      subscribe: async () => {
        const pair = (await crypto.subtle.generateKey(
          { name: 'ECDH', namedCurve: 'P-256' },
          true,
          ['deriveBits'],
        )) as CryptoKeyPair
        localStorage.setItem(
          key,
          JSON.stringify({
            endpoint: `https://push.example.com/${crypto.randomUUID()}`,
            keys: {
              p256dh: url(
                new Uint8Array(
                  await crypto.subtle.exportKey('raw', pair.publicKey),
                ),
              ),
              auth: url(crypto.getRandomValues(new Uint8Array(16))),
            },
          }),
        )
        return made()
      },
    })
  })
}

const region = (page: Page) =>
  page.getByRole('region', { name: 'Notifications on your devices' })
const here = (page: Page) =>
  region(page).getByRole('switch', { name: 'Notifications on this device' })

it('turns notifications on and off on this device, chooses kinds and quiet hours, and ends them on signing out', async () => {
  const { page, context } = await desk.page(
    { serviceWorkers: 'allow' },
    /status of (409|502|503)|status of 401 .*\/session$/,
  )
  await allow(context)
  await pretend(page)
  await desk.signIn(page)
  await page.goto(`${desk.url}/settings/profile`)
  const devices = region(page).getByRole('list', { name: 'Your devices' })
  await expect.poll(() => here(page).isEnabled()).toBe(true)
  expect(await devices.count()).toBe(0)
  await here(page).focus()
  await page.keyboard.press('Space')
  await region(page).getByText('Notifications are on.').waitFor()
  await devices.getByText('This device').waitFor()
  expect(await here(page).isChecked()).toBe(true)
  await axe(page, 'devices')
  await region(page).getByRole('button', { name: 'Send a test' }).click()
  await region(page)
    .getByText(/could not reach the notification/)
    .waitFor()

  const kinds = region(page).getByRole('group', { name: 'Notify me when' })
  expect(await kinds.getByRole('switch').count()).toBe(6)
  await kinds
    .getByRole('switch', { name: 'A customer is waiting in one of my queues' })
    .click()
  await region(page).getByRole('switch', { name: 'Quiet hours' }).click()
  await region(page).getByLabel('To', { exact: true }).fill('06:30')
  await region(page).getByLabel('From', { exact: true }).focus()
  const stored = () =>
    page.evaluate(
      async (url) =>
        (
          (await (await fetch(`${url}/v1/me/preferences`)).json()) as {
            push: unknown
          }
        ).push,
      desk.url,
    )
  await expect.poll(stored).toEqual({
    kinds: ['message', 'assigned', 'mention', 'failed', 'sla'],
    quiet: { from: '22:00', to: '06:30' },
  })

  await page.reload()
  await devices.getByText('This device').waitFor()
  await devices.getByRole('button', { name: /^Remove / }).click()
  await expect.poll(() => here(page).isChecked()).toBe(false)
  await devices.waitFor({ state: 'detached' })
  await here(page).click()
  await devices.getByText('This device').waitFor()
  const subscribed = () =>
    page.evaluate(() => localStorage.getItem('test.subscribed'))
  expect(await subscribed()).not.toBeNull()
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('main', { name: 'Sign in' }).waitFor()
  expect(await subscribed()).toBeNull()
})

it('explains what a device needs before it can get notifications', async () => {
  const explained = async (
    text: string | RegExp,
    prepare: (page: Page) => Promise<unknown>,
    options = {},
  ) => {
    const { page, context } = await desk.page(options)
    await prepare(page)
    await desk.session(page)
    await page.goto(`${desk.url}/settings/profile`)
    await region(page).getByRole('note').getByText(text).waitFor()
    expect(await here(page).isDisabled()).toBe(true)
    return { page, context }
  }
  const hide = (page: Page) =>
    page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
  const iphone = await explained('Choose “Add to Home Screen”.', hide, {
    ...phone,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  })
  await axe(iphone.page, 'installing on an iPhone')
  await iphone.context.close()
  await (
    await explained(/^This browser can’t get notifications/, hide)
  ).context.close()
  await (
    await explained(/secure address that starts with https/, (page) =>
      page.addInitScript(() =>
        Object.defineProperty(window, 'isSecureContext', { value: false }),
      ),
    )
  ).context.close()
  const { page } = await explained(/blocks notifications/, (page) =>
    page.addInitScript(() =>
      Object.defineProperty(Notification, 'permission', { value: 'denied' }),
    ),
  )

  await page.goto(`${desk.url}/settings/company`)
  const texts = page.getByRole('switch', {
    name: 'Show message texts in notifications on phones',
  })
  await texts.uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Saved').waitFor()
  await page.reload()
  await expect.poll(() => texts.isChecked()).toBe(false)
})
