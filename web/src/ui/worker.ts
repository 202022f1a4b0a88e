import { basePath } from './page'

/** The browser's service workers; none on a page without https. */
const workers = () =>
  navigator.serviceWorker as ServiceWorkerContainer | undefined

/** startWorker registers the service worker once the page is idle. open is called when a notification of a conversation is clicked. */
export function startWorker(open: (conversation: string) => unknown): void {
  const container = workers()
  if (!container) return
  container.addEventListener('message', ({ data, ports }) => {
    const { open: conversation } = Object(data) as { open?: unknown }
    if (typeof conversation !== 'string') return
    open(conversation)
    ports[0]?.postMessage(true)
  })
  container.startMessages()
  const register = () => void registerWorker().catch(() => undefined)
  if ('requestIdleCallback' in window) requestIdleCallback(register)
  else setTimeout(register, 1000)
}

/** registerWorker registers the service worker and waits until it is active. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const container = workers()
  if (!container) throw new Error('This browser has no service workers.')
  await container.register(`${basePath}/sw.js`, { scope: `${basePath}/` })
  return container.ready
}

/** activeWorker returns the registration of the service worker if it is active. */
export async function activeWorker(): Promise<ServiceWorkerRegistration | null> {
  const registration = await workers()?.getRegistration(`${basePath}/`)
  return registration?.active ? registration : null
}
