import { basePath, maySession } from '../ui/page'

/** Requests that were begun before the app was loaded, by address. */
const begun = new Map<string, Promise<Response>>()

/** After this long an answer is old: what changed since is not in it. */
const freshFor = 10_000

/** begin asks for paths of the API while the app is still being loaded. */
export function begin(paths: string[]): void {
  if (!maySession) return
  for (const path of paths) {
    const address = new URL(`${basePath}/v1${path}`, location.origin).href
    const response = fetch(address, { credentials: 'same-origin' })
    response.catch(() => undefined) // who takes it is told
    begun.set(address, response)
  }
  setTimeout(() => begun.clear(), freshFor)
}

/** takeBegun gives the answer to a request that was begun, once. */
export function takeBegun(request: Request): Promise<Response> | undefined {
  if (request.method !== 'GET') return undefined
  const response = begun.get(request.url)
  begun.delete(request.url)
  return response
}
