import 'fake-indexeddb/auto'
import { afterAll, vi } from 'vitest'

// Test files of one thread share their globals.
afterAll(() => vi.unstubAllGlobals())

/** Allows requests without a host, as in a browser. */
globalThis.Request = class extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(
      typeof input === 'string' ? new URL(input, location.href) : input,
      init,
    )
  }
}
