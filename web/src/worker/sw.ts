// The service worker shows push notifications, and a page when the server cannot be reached. It stores nothing: no response of the
// API, and no file of the app. The page and the icons are part of this file, so that they also work after an upgrade of the server.
import icon from '../../public/icon-192.png?inline'
import { device } from '../ui/device'
import badge from './badge.png?inline'
import { noticeOf } from './notice'
import offline from './offline.html?raw'

declare const self: ServiceWorkerGlobalScope

/** The address of the app, with a slash at its end. */
const home = self.registration.scope
const base = new URL(home).pathname.slice(0, -1)

// A new worker takes over at once: it has no state that open pages could depend on.
self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) =>
  event.waitUntil(
    Promise.all([
      self.clients.claim(),
      // The request for a page does not wait for the start of the worker.
      self.registration.navigationPreload?.enable(),
    ]),
  ),
)

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(pageOf(event))
})

/** pageOf requests a page. It returns the offline page if the server cannot be reached. */
async function pageOf(event: FetchEvent): Promise<Response> {
  try {
    const preloaded = (await event.preloadResponse) as Response | undefined
    return preloaded ?? (await fetch(event.request))
  } catch {
    return new Response(offline.replace('BASE', base), {
      status: 503,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy':
          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      },
    })
  }
}

self.addEventListener('push', (event) =>
  event.waitUntil(Promise.all([show(event.data), countUnread()])),
)

/** An open page shows its own notification at once; the push that follows within this time replaces it without a second alert. */
const together = 10_000

/** What a notification carries: its conversation, and the time if an open page has shown it. */
type NoticeData = { conversation: string | null; shown_at?: number }

const isRecent = ({ shown_at = 0 }: NoticeData) =>
  Date.now() - shown_at < together

/** show shows a notification. Browsers end the subscription of a worker that shows none. */
async function show(data: PushMessageData | null): Promise<void> {
  const { conversation, title, text } = noticeOf(
    data?.text() ?? '',
    navigator.language,
  )
  const tag = conversation ?? 'recado' // a later one replaces the earlier one
  const earlier = await self.registration.getNotifications({ tag })
  const options: NotificationOptions & { renotify: boolean } = {
    body: text,
    icon,
    badge,
    tag,
    renotify: !earlier.some(({ data }) => isRecent(data as NoticeData)),
    data: { conversation } satisfies NoticeData,
  }
  await self.registration.showNotification(title, options)
}

/** countUnread shows the number of unread notifications on the icon of the app. */
async function countUnread(): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  try {
    const response = await fetch(
      `${base}/v1/me/notifications?unread=true&limit=1`,
      { cache: 'no-store' },
    )
    if (!response.ok) return
    const { unread_count } = (await response.json()) as { unread_count: number }
    await (unread_count > 0
      ? navigator.setAppBadge(unread_count)
      : navigator.clearAppBadge())
  } catch {
    // The app shows the number when it is opened.
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { conversation } = event.notification.data as NoticeData
  event.waitUntil(open(conversation))
})

/** open opens a conversation in an open window of the app, or in a new one. */
async function open(conversation: string | null): Promise<void> {
  const path = conversation ? `inbox/open/${conversation}` : ''
  const windows = await self.clients.matchAll({
    type: 'window',
    includeUncontrolled: true,
  })
  const shown = windows.find(
    ({ url }) => url.startsWith(home) && !url.startsWith(`${home}docs/`),
  )
  if (!shown) {
    await self.clients.openWindow(home + path)
    return
  }
  await shown.focus().catch(() => undefined) // the window may be on another desktop
  if (conversation && !(await tell(shown, conversation)))
    await shown.navigate(home + path).catch(() => undefined)
}

/** How long a page has to take a message before it is loaded again; it may still be starting, or be the offline page. */
const patience = 2000

/** tell tells a page to open a conversation and reports whether the page has taken the message. */
function tell(page: WindowClient, conversation: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(true)
    setTimeout(() => resolve(false), patience)
    page.postMessage({ open: conversation }, [port2])
  })
}

self.addEventListener('pushsubscriptionchange', (event) =>
  event.waitUntil(
    renew((event as PushSubscriptionChangeEvent).newSubscription),
  ),
)

/** renew registers this device again after the browser has replaced its subscription. */
async function renew(replaced: PushSubscription | null): Promise<void> {
  const response = await fetch(`${base}/v1/me/push-key`, { cache: 'no-store' })
  if (!response.ok) return // nobody is signed in
  const { key } = (await response.json()) as { key: string }
  const subscription =
    replaced ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key,
    }))
  const { endpoint, keys } = subscription.toJSON()
  await fetch(`${base}/v1/me/push-subscriptions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      endpoint,
      keys,
      device: device(navigator.userAgent) ?? 'Recado',
    }),
  })
}
