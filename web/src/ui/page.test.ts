// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'

describe('the nonce meta tag', () => {
  it.each([
    ['__vJU4HWyyE_GYkhZA9DWw', '__vJU4HWyyE_GYkhZA9DWw'],
    ['__NONCE__', ''],
  ])('of %s, %j is the nonce', async (content, nonce) => {
    document.head.innerHTML = `<meta name="recado-nonce" content="${content}">`
    vi.resetModules()
    expect((await import('./page')).styleNonce).toBe(nonce)
  })
})
