// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'
import { server } from '../../test/streams'
import { backoff, follow } from './stream'

describe('the stream', () => {
  it('resumes after the last event when the connection ends', async () => {
    const { fetch, next } = server()
    const control = new AbortController()
    let lastId: string | null = null
    void follow({
      url: '/live',
      lastId: () => lastId,
      onEvent: (event) => (lastId = event.id ?? lastId),
      onState: () => undefined,
      signal: control.signal,
      fetch,
    })
    const first = await next()
    expect(first.lastId).toBeNull()
    first.push('id: 41\nevent: a\ndata: 1\n\n')
    first.end()
    expect((await next()).lastId).toBe('41')
    control.abort()
  })

  it("sends the user's id and ends when another user is signed in", async () => {
    const asked: (string | null)[] = []
    const states: string[] = []
    await follow({
      url: '/live',
      lastId: () => null,
      onEvent: () => undefined,
      onState: (state) => states.push(state),
      signal: new AbortController().signal,
      headers: () => ({ 'X-Recado-User': 'ana' }),
      fetch: ((_: unknown, init?: RequestInit) => {
        asked.push(new Headers(init?.headers).get('X-Recado-User'))
        return Promise.resolve(
          Response.json({ code: 'session_changed' }, { status: 403 }),
        )
      }) as typeof globalThis.fetch,
    })
    expect([asked, states]).toEqual([['ana'], ['connecting', 'ended']])
  })

  it('reconnects when the computer wakes up', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    try {
      const { fetch, next } = server()
      const control = new AbortController()
      let lastId: string | null = null
      void follow({
        url: '/live',
        lastId: () => lastId,
        onEvent: (event) => (lastId = event.id ?? lastId),
        onState: () => undefined,
        signal: control.signal,
        fetch,
      })
      const first = await next()
      first.push('id: 40\n\n')
      await vi.waitFor(() => expect(lastId).toBe('40'))
      vi.setSystemTime(Date.now() + 24 * 3_600_000)
      dispatchEvent(new Event('focus'))
      expect((await next()).lastId).toBe('40')
      control.abort()
    } finally {
      vi.useRealTimers()
    }
  })

  it('reconnects after a period of silence', async () => {
    const { fetch, next } = server()
    const control = new AbortController()
    const states: string[] = []
    void follow({
      url: '/live',
      lastId: () => null,
      onEvent: () => undefined,
      onState: (state) => states.push(state),
      signal: control.signal,
      fetch,
      silence: 20,
    })
    await next()
    await next()
    expect(states.slice(0, 4)).toEqual([
      'connecting',
      'open',
      'waiting',
      'connecting',
    ])
    control.abort()
  })

  it('waits longer after each failure, at most 15 seconds', () => {
    expect([1, 2, 3, 9].map(backoff)).toEqual([500, 1000, 2000, 15_000])
  })
})
