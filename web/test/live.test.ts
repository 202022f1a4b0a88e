// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'
import { share } from '../src/live/leader'
import { Parser, type StreamEvent } from '../src/live/parse'
import { backoff, follow } from '../src/live/stream'
import { shareView } from '../src/live/tabs'
import { installed, personal } from '../src/ui/page'

describe('the parser of the stream', () => {
  it('takes events in any pieces', () => {
    const text = ': hello\n\nid: 7\nevent: message.received\ndata: {"a":\ndata: 1}\n\nevent: typing\ndata: {}\n\n'
    for (let size = 1; size < text.length; size++) {
      const parser = new Parser()
      const events: StreamEvent[] = []
      for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)))
      expect(events).toEqual([{ id: '7', type: 'message.received', data: '{"a":\n1}' }, { id: null, type: 'typing', data: '{}' }])
    }
  })

  it('gives an id without data, which moves the place', () => {
    expect(new Parser().push('retry: 1000\nid: 40\n\n: \nid: 41\n\n: \n\n')).toEqual([{ id: '40', type: '', data: '' }, { id: '41', type: '', data: '' }])
  })
})

type Request = { lastId: string | null; push: (text: string) => void; end: () => void }

/** A server of streams: every request waits in a list for what the test sends. */
function server() {
  const requests: Request[] = []
  const waiting: ((request: Request) => void)[] = []
  const answer = ((_: unknown, init?: RequestInit) => {
    let control: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (control = given) })
    init?.signal?.addEventListener('abort', () => {
      try {
        control.error(new Error('aborted'))
      } catch {
        // closed already
      }
    })
    const request = {
      lastId: new Headers(init?.headers).get('Last-Event-ID'),
      push: (text: string) => control.enqueue(new TextEncoder().encode(text)),
      end: () => control.close(),
    }
    const next = waiting.shift()
    if (next) next(request)
    else requests.push(request)
    return Promise.resolve(new Response(body, { status: 200 }))
  }) as typeof fetch
  const next = () => new Promise<Request>((resolve) => {
    const request = requests.shift()
    if (request) resolve(request)
    else waiting.push(resolve)
  })
  return { fetch: answer, next }
}

/** Locks as the browser has them, one holder at a time. */
function locks(): LockManager {
  let last: Promise<unknown> = Promise.resolve()
  const request = (_: string, options: { signal?: AbortSignal }, task: () => Promise<unknown>) => {
    const held = last.then(() => (options.signal?.aborted ? undefined : task()))
    last = held.catch(() => undefined)
    return held
  }
  return { request, query: () => Promise.resolve({}) } as unknown as LockManager
}

describe('the stream', () => {
  it('resumes after the last event when the connection ends', async () => {
    const { fetch, next } = server()
    const control = new AbortController()
    let lastId: string | null = null
    void follow({ url: '/live', lastId: () => lastId, onEvent: (event) => (lastId = event.id ?? lastId), onState: () => undefined, signal: control.signal, fetch })
    const first = await next()
    expect(first.lastId).toBeNull()
    first.push('id: 41\nevent: a\ndata: 1\n\n')
    first.end()
    expect((await next()).lastId).toBe('41')
    control.abort()
  })

  it('resumes at the right place, whenever the connection ends', async () => {
    for (const [pieces, place] of [
      [[], null], // before anything came
      [['retry: 1000\nid: 40\n'], null],
      [['retry: 1000\nid: 40\n\n'], '40'], // before the first event
      [['id: 40\n\n', ': \nid: 41\n\n'], '41'], // a comment moved the place
      [['id: 40\n\n', 'id: 42\nevent: a\ndata: {"half"'], '40'], // in the middle of an event
      [['id: 40\n\n', 'id: 42\nevent: a\ndata: {}\n'], '40'],
      [['id: 40\n\n', 'id: 42\nevent: a\ndata: {}\n\n', 'event: typing\ndata: {}\n\n'], '42'],
      [['id: 9\nevent: reset\ndata: {}\n\n'], '9'], // the server lost the place, and gives a new one
    ] as const) {
      const { fetch, next } = server()
      const name = `live-${crypto.randomUUID()}`
      const types: string[] = []
      const stop = share({ url: '/live', name, locks: locks(), fetch, onState: () => undefined, onEvent: (event) => types.push(event.type) })
      const first = await next()
      for (const piece of pieces) first.push(piece)
      first.end()
      expect((await next()).lastId).toBe(place)
      expect(types).not.toContain('')
      stop()
    }
  })

  it('names the person, and ends when the session is that of another one', async () => {
    const asked: (string | null)[] = []
    const states: string[] = []
    await follow({
      url: '/live', lastId: () => null, onEvent: () => undefined, onState: (state) => states.push(state), signal: new AbortController().signal,
      headers: () => ({ 'X-Recado-User': 'ana' }),
      fetch: ((_: unknown, init?: RequestInit) => {
        asked.push(new Headers(init?.headers).get('X-Recado-User'))
        return Promise.resolve(Response.json({ code: 'session_changed' }, { status: 403 }))
      }) as typeof globalThis.fetch,
    })
    expect([asked, states]).toEqual([['ana'], ['connecting', 'ended']])
  })

  it('reconnects when a computer wakes: the timers stood still, the clock did not', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    try {
      const { fetch, next } = server()
      const control = new AbortController()
      let lastId: string | null = null
      void follow({ url: '/live', lastId: () => lastId, onEvent: (event) => (lastId = event.id ?? lastId), onState: () => undefined, signal: control.signal, fetch })
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

  it('reconnects after a silence', async () => {
    const { fetch, next } = server()
    const control = new AbortController()
    const states: string[] = []
    void follow({ url: '/live', lastId: () => null, onEvent: () => undefined, onState: (state) => states.push(state), signal: control.signal, fetch, silence: 20 })
    await next()
    await next()
    expect(states.slice(0, 4)).toEqual(['connecting', 'open', 'waiting', 'connecting'])
    control.abort()
  })

  it('waits longer after each failure, at most 15 seconds', () => {
    expect([1, 2, 3, 9].map(backoff)).toEqual([500, 1000, 2000, 15_000])
  })
})

describe('tabs', () => {
  it('share one stream, and the next tab resumes it', async () => {
    const { fetch, next } = server()
    const manager = locks()
    const name = `live-${crypto.randomUUID()}`
    const seen: Record<string, string[]> = { a: [], b: [] }
    let wake: () => void = () => undefined
    const both = new Promise<void>((resolve) => (wake = () => seen.a?.length === 1 && seen.b?.length === 1 && resolve()))
    const tab = (key: string) =>
      share({
        url: '/live', name, locks: manager, fetch, onState: () => undefined,
        onEvent: (event) => {
          seen[key]?.push(event.type)
          wake()
        },
      })
    const closeA = tab('a')
    const closeB = tab('b')
    const first = await next()
    first.push('id: 9\nevent: message.received\ndata: {}\n\n')
    await both
    expect(seen).toEqual({ a: ['message.received'], b: ['message.received'] })
    closeA()
    expect((await next()).lastId).toBe('9')
    closeB()
  })

  it('that were opened later resume where the one before was, though no event came since', async () => {
    const { fetch, next } = server()
    const manager = locks()
    const name = `live-${crypto.randomUUID()}`
    const states: string[] = []
    const tab = (onState: (state: string) => void) => share({ url: '/live', name, locks: manager, fetch, onEvent: () => undefined, onState })
    const closeA = tab(() => undefined)
    const first = await next()
    first.push('retry: 1000\nid: 40\n\n')
    await new Promise((resolve) => setTimeout(resolve))
    const closeB = tab((state) => states.push(state))
    await expect.poll(() => states).toEqual(['open'])
    closeA()
    expect((await next()).lastId).toBe('40')
    closeB()
  })

  it('of another person or installation hear nothing', async () => {
    const names = [personal('live', 'ana'), personal('live', 'caio'), installed('live')]
    expect(new Set(names).size).toBe(3)
    const { fetch, next } = server()
    const heard: string[] = []
    const stop = names.slice(0, 2).map((name) => share({ url: '/live', name, locks: locks(), fetch, onState: () => undefined, onEvent: () => heard.push(name) }))
    const [first] = [await next(), await next()]
    first?.push('id: 1\nevent: message.received\ndata: {}\n\n')
    await expect.poll(() => heard).toEqual([names[0]])
    stop.forEach((end) => end())
  })

  it('know what the others show', async () => {
    const name = `view-${crypto.randomUUID()}`
    let conversation: string | null = 'a'
    const first = shareView(() => ({ focused: true, conversation }), name)
    const second = shareView(() => ({ focused: false, conversation: null }), name)
    const seen = () => second.views().map((view) => view.conversation)
    await expect.poll(seen).toEqual([null, 'a'])
    conversation = 'b'
    first.tell()
    await expect.poll(seen).toEqual([null, 'b'])
    first.stop()
    await expect.poll(seen).toEqual([null])
    second.stop()
  })
})
