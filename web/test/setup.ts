import 'fake-indexeddb/auto'
import { afterAll, vi } from 'vitest'

// The next file of the thread has the same globals.
afterAll(() => vi.unstubAllGlobals())

/** Requests take addresses without a host, as they do in a browser. */
globalThis.Request = class extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(
      typeof input === 'string' ? new URL(input, location.href) : input,
      init,
    )
  }
}
