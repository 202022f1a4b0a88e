// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { server } from '../../test/streams'
import { installed, personal } from '../ui/page'
import { share } from './leader'

/** Locks imitates the browser's locks, with one holder at a time. */
function locks(): LockManager {
  let last: Promise<unknown> = Promise.resolve()
  const request = (
    _: string,
    options: { signal?: AbortSignal },
    task: () => Promise<unknown>,
  ) => {
    const held = last.then(() => (options.signal?.aborted ? undefined : task()))
    last = held.catch(() => undefined)
    return held
  }
  return { request, query: () => Promise.resolve({}) } as unknown as LockManager
}

describe('tabs', () => {
  it('resume at the right event, whenever the connection ends', async () => {
    for (const [pieces, place] of [
      [[], null], // nothing received yet
      [['retry: 1000\nid: 40\n'], null],
      [['retry: 1000\nid: 40\n\n'], '40'], // before the first event
      [['id: 40\n\n', ': \nid: 41\n\n'], '41'], // a comment moved the cursor
      [['id: 40\n\n', 'id: 42\nevent: a\ndata: {"half"'], '40'], // in the middle of an event
      [['id: 40\n\n', 'id: 42\nevent: a\ndata: {}\n'], '40'],
      [
        [
          'id: 40\n\n',
          'id: 42\nevent: a\ndata: {}\n\n',
          'event: typing\ndata: {}\n\n',
        ],
        '42',
      ],
      [['id: 9\nevent: reset\ndata: {}\n\n'], '9'], // the server lost the cursor and sends a new one
    ] as const) {
      const { fetch, next } = server()
      const name = `live-${crypto.randomUUID()}`
      const types: string[] = []
      const stop = share({
        url: '/live',
        name,
        locks: locks(),
        fetch,
        onState: () => undefined,
        onEvent: (event) => types.push(event.type),
      })
      const first = await next()
      for (const piece of pieces) first.push(piece)
      first.end()
      expect((await next()).lastId).toBe(place)
      expect(types).not.toContain('')
      stop()
    }
  })

  it('share one stream, and the next tab resumes it', async () => {
    const { fetch, next } = server()
    const manager = locks()
    const name = `live-${crypto.randomUUID()}`
    const seen: Record<string, string[]> = { a: [], b: [] }
    let wake: () => void = () => undefined
    const both = new Promise<void>(
      (resolve) =>
        (wake = () =>
          seen.a?.length === 1 && seen.b?.length === 1 && resolve()),
    )
    const tab = (key: string) =>
      share({
        url: '/live',
        name,
        locks: manager,
        fetch,
        onState: () => undefined,
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

  it('resume where the previous tab was, even without new events', async () => {
    const { fetch, next } = server()
    const manager = locks()
    const name = `live-${crypto.randomUUID()}`
    const states: string[] = []
    const tab = (onState: (state: string) => void) =>
      share({
        url: '/live',
        name,
        locks: manager,
        fetch,
        onEvent: () => undefined,
        onState,
      })
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

  it('of other users or installations receive nothing', async () => {
    const names = [
      personal('live', 'ana'),
      personal('live', 'caio'),
      installed('live'),
    ]
    expect(new Set(names).size).toBe(3)
    const { fetch, next } = server()
    const heard: string[] = []
    const stop = names.slice(0, 2).map((name) =>
      share({
        url: '/live',
        name,
        locks: locks(),
        fetch,
        onState: () => undefined,
        onEvent: () => heard.push(name),
      }),
    )
    const [first] = [await next(), await next()]
    first?.push('id: 1\nevent: message.received\ndata: {}\n\n')
    await expect.poll(() => heard).toEqual([names[0]])
    stop.forEach((end) => end())
  })
})
