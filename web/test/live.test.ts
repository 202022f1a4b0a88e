// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { share } from '../src/live/leader'
import { Parser, type StreamEvent } from '../src/live/parse'
import { backoff, follow } from '../src/live/stream'
import { shareView } from '../src/live/tabs'

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
