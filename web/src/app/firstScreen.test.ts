// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { firstPaths, screenAt } from './firstScreen'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules() // forgets requests that were already started
})

describe('the first requests', () => {
  it('match the screen in the URL', () => {
    expect(firstPaths(screenAt('/', ''))[1]).toBe(
      '/conversations?status=waiting&sort=oldest_waiting&limit=40',
    )
    expect(firstPaths(screenAt('/inbox/open/c1', '')).slice(1, 4)).toEqual([
      '/conversations?status=open&limit=40',
      '/conversations/c1',
      '/conversations/c1/timeline?limit=50',
    ])
    expect(firstPaths(screenAt('/inbox/view-1', ''))).toContain('/views')
    expect(
      firstPaths(screenAt('/inbox/open', '?q=x')).filter((path) =>
        path.startsWith('/conversations'),
      ),
    ).toEqual([])
    expect(firstPaths(screenAt('/report', ''))).toEqual([
      '/session',
      '/me/preferences',
      '/inbox/counts',
    ])
  })

  it("are reused once by the app's own requests", async () => {
    const asked: string[] = []
    vi.stubGlobal('fetch', (input: string | Request) => {
      asked.push(typeof input === 'string' ? input : input.url)
      return Promise.resolve(Response.json({ data: [], next_cursor: null }))
    })
    const { begin } = await import('../api/early')
    const { conversationsOptions } =
      await import('../inbox/list/useConversations')
    const screen = screenAt('/inbox/waiting', '')
    begin(firstPaths(screen))
    const before = asked.length
    const client = new QueryClient()
    if (screen.list)
      await client.fetchInfiniteQuery(conversationsOptions(screen.list))
    expect(asked).toHaveLength(before)
    client.clear()
    if (screen.list)
      await client.fetchInfiniteQuery(conversationsOptions(screen.list))
    expect(asked).toHaveLength(before + 1)
    expect(asked.at(-1)).toBe(asked[1])
  })

  it.each([
    ['agent', true],
    ['manager', false],
  ])(
    'wait for the counts at "/", which choose the page of an agent: %s %s',
    async (role, waits) => {
      let answerCounts: (counts: Response) => void = () => undefined
      const counts = new Promise<Response>(
        (resolve) => (answerCounts = resolve),
      )
      vi.stubGlobal('fetch', ({ url }: Request) => {
        if (url.endsWith('/inbox/counts')) return counts
        return Promise.resolve(
          Response.json(
            url.endsWith('/session')
              ? { user: { role } }
              : { data: [], next_cursor: null },
          ),
        )
      })
      const { prefetch } = await import('./prefetch')
      const client = new QueryClient()
      let done = false
      const waiting = prefetch(client).then(() => (done = true))
      await vi.waitFor(() => expect(client.isFetching()).toBe(1)) // the counts
      expect(done).toBe(!waits)
      answerCounts(Response.json({ mine: 1 }))
      await waiting
    },
  )
})
