import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { firstPaths, screenAt } from '../src/app/firstScreen'

afterEach(() => vi.unstubAllGlobals())

describe('the first requests', () => {
  it('are those of the screen at the address', () => {
    expect(firstPaths(screenAt('/', ''))[1]).toBe('/conversations?status=waiting&sort=oldest_waiting&limit=40')
    expect(firstPaths(screenAt('/inbox/open/c1', '')).slice(1, 4)).toEqual(['/conversations?status=open&limit=40', '/conversations/c1', '/conversations/c1/timeline?limit=50'])
    expect(firstPaths(screenAt('/inbox/view-1', ''))).toContain('/views')
    expect(firstPaths(screenAt('/inbox/open', '?q=x')).filter((path) => path.startsWith('/conversations'))).toEqual([])
    expect(firstPaths(screenAt('/report', ''))).toEqual(['/session', '/me/preferences', '/inbox/counts'])
  })

  it('have the addresses that the app asks for, and are answered once', async () => {
    const asked: string[] = []
    vi.stubGlobal('Request', class extends Request {
      constructor(input: string, init?: RequestInit) {
        super(new URL(input, location.href), init) // as a browser does
      }
    })
    vi.stubGlobal('fetch', (input: string | Request) => {
      asked.push(typeof input === 'string' ? input : input.url)
      return Promise.resolve(Response.json({ data: [], next_cursor: null }))
    })
    const { begin } = await import('../src/api/early')
    const { conversationsOptions } = await import('../src/inbox/useConversations')
    const screen = screenAt('/inbox/waiting', '')
    begin(firstPaths(screen))
    const before = asked.length
    const client = new QueryClient()
    if (screen.list) await client.fetchInfiniteQuery(conversationsOptions(screen.list))
    expect(asked).toHaveLength(before)
    client.clear()
    if (screen.list) await client.fetchInfiniteQuery(conversationsOptions(screen.list))
    expect(asked).toHaveLength(before + 1)
    expect(asked.at(-1)).toBe(asked[1])
  })
})
