import { basePath, maySession } from '../ui/page'

/** Requests that were started before the app was loaded, by path. */
const begun = new Map<string, Promise<Response>>()

/** A response older than this is discarded. */
const freshFor = 10_000

/** begin requests API paths while the app is still loading. */
export function begin(paths: string[]): void {
  if (!maySession) return
  for (const path of paths) {
    const address = new URL(`${basePath}/v1${path}`, location.origin).href
    const response = fetch(address, { credentials: 'same-origin' })
    response.catch(() => undefined) // handled by whoever takes the response
    begun.set(address, response)
  }
  setTimeout(() => begun.clear(), freshFor)
}

/** takeEarly returns the response to an early request, once. */
export function takeEarly(request: Request): Promise<Response> | undefined {
  if (request.method !== 'GET') return undefined
  const response = begun.get(request.url)
  begun.delete(request.url)
  return response
}
