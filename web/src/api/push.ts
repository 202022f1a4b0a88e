import { device } from '../ui/device'
import { personal } from '../ui/page'
import { activeWorker, registerWorker } from '../ui/worker'
import { api, unwrap } from './client'

/** PushRefused is the error of a browser that does not allow or cannot create a subscription. */
export class PushRefused extends Error {
  constructor(readonly why: 'dismissed' | 'denied' | 'service') {
    super(why)
  }
}

/** Registered is this device as registered by a person. The server ends a registration together with its session. */
type Registered = { id: string; endpoint: string; session: string }

const nameOf = (person: string) => personal('push', person)

/** registeredDevice returns the registration of this device that the browser stored for a person. */
export function registeredDevice(person: string): Registered | null {
  try {
    return JSON.parse(
      localStorage.getItem(nameOf(person)) ?? 'null',
    ) as Registered | null
  } catch {
    return null
  }
}

/** localSubscription returns the browser's push subscription. */
export async function localSubscription(): Promise<PushSubscription | null> {
  const worker = await activeWorker()
  return (await worker?.pushManager?.getSubscription()) ?? null
}

/** turnOnPush asks for permission, subscribes the browser and registers it as a device of the person. It must be called in a click. */
export async function turnOnPush(person: string): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted')
    throw new PushRefused(permission === 'denied' ? 'denied' : 'dismissed')
  const { key } = await unwrap(api.GET('/me/push-key'))
  await register(person, await subscribe(key))
}

/** subscribe creates a new subscription. An earlier one may belong to another key. */
async function subscribe(key: string): Promise<PushSubscription> {
  try {
    const { pushManager } = await registerWorker()
    await (await pushManager.getSubscription())?.unsubscribe()
    return await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key,
    })
  } catch {
    throw new PushRefused('service')
  }
}

/** register registers a subscription as a device of the person. */
async function register(
  person: string,
  subscription: PushSubscription,
): Promise<void> {
  const { endpoint = '', keys } = subscription.toJSON()
  const [{ id }, session] = await Promise.all([
    unwrap(
      api.POST('/me/push-subscriptions', {
        body: {
          endpoint,
          keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
          device: device(navigator.userAgent) ?? 'Recado',
        },
      }),
    ),
    currentSession(),
  ])
  const registered: Registered = { id, endpoint, session }
  localStorage.setItem(nameOf(person), JSON.stringify(registered))
}

const currentSession = async () =>
  (await unwrap(api.GET('/sessions'))).data.find((one) => one.current)?.id ?? ''

/** removeDevice removes a device of the person, which can be this one. */
export async function removeDevice(person: string, id: string): Promise<void> {
  await unwrap(
    api.DELETE('/me/push-subscriptions/{id}', { params: { path: { id } } }),
  )
  if (registeredDevice(person)?.id === id) await forgetPush(person)
}

/** How long the browser may take to end its subscription. The server sends nothing to it anyway. */
const patience = 3000

/** forgetPush ends the browser's subscription, its notifications and the number on its icon. The server has removed the device already. */
export async function forgetPush(person: string): Promise<void> {
  localStorage.removeItem(nameOf(person))
  if ('clearAppBadge' in navigator)
    void navigator.clearAppBadge().catch(() => undefined)
  const end = async () => {
    const worker = await activeWorker()
    for (const shown of (await worker?.getNotifications()) ?? []) shown.close()
    await (await worker?.pushManager?.getSubscription())?.unsubscribe()
  }
  await Promise.race([
    end().catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, patience)),
  ])
}

/**
 * keepPush registers this device again if the person has signed in again or the browser has replaced its subscription. It forgets a device
 * that the person has removed elsewhere.
 */
export async function keepPush(person: string): Promise<void> {
  const registered = registeredDevice(person)
  if (!registered) return
  const subscription = await localSubscription()
  if (!subscription || Notification.permission !== 'granted') {
    localStorage.removeItem(nameOf(person))
    return
  }
  const { data } = await unwrap(api.GET('/me/push-subscriptions'))
  const known = data.some(({ id }) => id === registered.id)
  if (known && subscription.endpoint === registered.endpoint) return
  if (
    subscription.endpoint !== registered.endpoint ||
    (await currentSession()) !== registered.session
  )
    await register(person, subscription)
  else await forgetPush(person)
}
