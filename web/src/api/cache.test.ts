// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { conversation, message } from '../../test/fixtures'
import {
  matches,
  mergeEntry,
  newerMessage,
  reposition,
  putConversation,
  putMessage,
  sameConversations,
  updateConversation,
  type ListPage,
} from './cache'
import { keepChanges } from './journal'
import { keys } from './keys'
import type { Conversation, Message, TimelinePage } from './types'

const list = (...data: Conversation[]) => ({
  pages: [{ data, next_cursor: null } as ListPage],
  pageParams: [null],
})
const ids = (value: { pages: ListPage[] }) =>
  value.pages.flatMap((page) => page.data.map((one) => one.id))

describe('lists in the cache', () => {
  it('move a conversation with a new message to the top', () => {
    const before = list(conversation('a', '3'), conversation('b', '2'))
    expect(
      ids(reposition(before, conversation('b', '4'), { status: 'open' }, 'me')),
    ).toEqual(['b', 'a'])
  })

  it('sort by longest wait', () => {
    const before = list(conversation('a', '1'), conversation('b', '2'))
    expect(
      ids(
        reposition(
          before,
          conversation('c', '0'),
          { status: 'waiting', sort: 'oldest_waiting' },
          'me',
        ),
      ),
    ).toEqual(['c', 'a', 'b'])
  })

  it('sort by what is due first, and hold what is at risk', () => {
    const due = (
      id: string,
      due_at: string,
      state: 'pending' | 'warned' | 'breached',
    ) => {
      const one = conversation(id, '1')
      return {
        ...one,
        attendance: one.attendance && {
          ...one.attendance,
          sla: { target: 'first' as const, due_at, state },
        },
      }
    }
    const query = { sla: 'at_risk', sort: 'sla_due' } as const
    const before = list(due('a', '1', 'breached'), due('b', '3', 'warned'))
    const put = (one: Conversation) => ids(reposition(before, one, query, 'me'))
    expect(put(due('c', '2', 'warned'))).toEqual(['a', 'c', 'b'])
    expect(put(due('c', '2', 'pending'))).toEqual(['a', 'b'])
    expect(put(due('a', '4', 'pending'))).toEqual(['b'])
    expect(put(conversation('a', '1'))).toEqual(['b'])
    const all = list(due('a', '1', 'pending'), conversation('b', '1'))
    expect(
      ids(reposition(all, due('c', '2', 'pending'), { sort: 'sla_due' }, 'me')),
    ).toEqual(['a', 'c', 'b'])
    expect(matches(due('a', '1', 'warned'), { sla: 'breached' }, 'me')).toBe(
      false,
    )
  })

  it('move a taken conversation from the queue to its assignee', () => {
    const taken = conversation('a', '1', { assignee: 'me' })
    expect(
      ids(
        reposition(
          list(conversation('a', '1')),
          taken,
          { status: 'waiting' },
          'me',
        ),
      ),
    ).toEqual([])
    expect(
      ids(reposition(list(), taken, { status: 'open', assignee: 'me' }, 'me')),
    ).toEqual(['a'])
    expect(
      ids(
        reposition(list(), taken, { status: 'open', assignee: 'me' }, 'other'),
      ),
    ).toEqual([])
  })

  it('leave a search to the server', () => {
    expect(matches(conversation('a', '1'), { q: 'x' }, 'me')).toBeNull()
    expect(
      ids(reposition(list(), conversation('a', '1'), { q: 'x' }, 'me')),
    ).toEqual([])
  })

  it('are all updated at once', () => {
    const client = new QueryClient()
    client.setQueryData(
      keys.list({ status: 'open' }),
      list(conversation('a', '1')),
    )
    client.setQueryData(keys.list({ status: 'closed' }), list())
    putConversation(client, conversation('a', '1', { attendance: null }), 'me')
    expect(
      ids(
        client.getQueryData(keys.list({ status: 'open' })) as ReturnType<
          typeof list
        >,
      ),
    ).toEqual([])
    expect(
      ids(
        client.getQueryData(keys.list({ status: 'closed' })) as ReturnType<
          typeof list
        >,
      ),
    ).toEqual(['a'])
  })

  it('keep the draft when an event updates the conversation', () => {
    const client = new QueryClient()
    const draft = { text: 'Bom', reply_to_external_id: null, updated_at: '1' }
    client.setQueryData(
      keys.list({ status: 'open' }),
      list(conversation('a', '1', { draft })),
    )
    updateConversation(client, conversation('a', '2'), 'me')
    expect(
      client.getQueryData<ReturnType<typeof list>>(
        keys.list({ status: 'open' }),
      )?.pages[0]?.data[0],
    ).toMatchObject({ draft, updated_at: '2' })
    expect(client.getQueryState(keys.conversation('a'))).toBeUndefined()
    putConversation(client, conversation('a', '2', { draft: null }), 'me')
    expect(
      client.getQueryData<ReturnType<typeof list>>(
        keys.list({ status: 'open' }),
      )?.pages[0]?.data[0]?.draft,
    ).toBeNull()
  })

  it('contain a conversation once if it moved while a page was loading', () => {
    const pages = [
      {
        data: [conversation('b', '9'), conversation('a', '8')],
        next_cursor: 'x',
      },
      {
        data: [conversation('c', '3'), conversation('b', '2')],
        next_cursor: null,
      },
    ] as ListPage[]
    expect(
      ids(
        reposition(
          { pages, pageParams: [null, 'x'] },
          conversation('b', '9'),
          { status: 'open' },
          'me',
        ),
      ),
    ).toEqual(['b', 'a', 'c'])
  })

  it('keep the identity of all other conversations and pages', () => {
    const rows = ['a', 'b', 'c', 'd'].map((id, index) =>
      conversation(id, String(9 - index)),
    )
    const before = {
      pages: [
        { data: rows.slice(0, 2), next_cursor: 'x' },
        { data: rows.slice(2), next_cursor: null },
      ] as ListPage[],
      pageParams: [null, 'x'],
    }
    const after = reposition(
      before,
      conversation('b', '91'),
      { status: 'open' },
      'me',
    )
    expect(ids(after)).toEqual(['b', 'a', 'c', 'd'])
    expect(after.pages[0]?.data[1]).toBe(rows[0])
    expect(after.pages[1]).toBe(before.pages[1])
    const fetched = sameConversations(
      { data: [conversation('c', '92'), conversation('a', '9')] },
      before,
    )
    expect(fetched.data[1]).toBe(rows[0])
    expect(fetched.data[0]?.last_message?.created_at).toBe('92')
  })

  it('ignore conversations that belong on a page that is not loaded', () => {
    const before = {
      pages: [
        {
          data: [conversation('a', '3'), conversation('b', '2')],
          next_cursor: 'x',
        },
      ] as ListPage[],
      pageParams: [null],
    }
    expect(
      ids(reposition(before, conversation('c', '1'), { status: 'open' }, 'me')),
    ).toEqual(['a', 'b'])
    expect(
      ids(reposition(before, conversation('a', '1'), { status: 'open' }, 'me')),
    ).toEqual(['b', 'a'])
  })
})

describe('threads in the cache', () => {
  it('deduplicate messages by client_id', () => {
    const entry = (one: Message) => ({
      kind: 'message' as const,
      id: one.id,
      at: one.created_at,
      message: one,
    })
    const before = {
      pages: [
        {
          data: [entry(message({ id: 'p', client_id: 'k' }))],
          before: null,
          after: null,
        },
      ],
      pageParams: [{}],
    }
    const after = mergeEntry(
      before,
      entry(message({ id: 'm', client_id: 'k', status: 'sent' })),
    )
    expect(after.pages[0]?.data.map((one) => one.id)).toEqual(['m'])
  })

  it('keep a message that arrived while older pages were loading', async () => {
    const client = new QueryClient()
    keepChanges(client)
    const entry = (one: Message) => ({
      kind: 'message' as const,
      id: one.id,
      at: one.created_at,
      message: one,
    })
    let arrive: (page: TimelinePage) => void = () => undefined
    const options = {
      queryKey: keys.timeline('a', null),
      structuralSharing: false,
      initialPageParam: '',
      getNextPageParam: (page: TimelinePage) => page.before,
      queryFn: ({ pageParam }: { pageParam: string }) =>
        pageParam
          ? new Promise<TimelinePage>((resolve) => (arrive = resolve))
          : { data: [entry(message({ id: 'new' }))], before: 'x', after: null },
    }
    const observer = new InfiniteQueryObserver(client, options)
    const stop = observer.subscribe(() => undefined)
    await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true)
    const older = observer.fetchNextPage()
    putMessage(client, message({ id: 'newest' }), true)
    arrive({ data: [entry(message({ id: 'old' }))], before: null, after: null })
    await older
    expect(
      client
        .getQueryData<{ pages: TimelinePage[] }>(options.queryKey)
        ?.pages.map((page) => page.data.map((one) => one.id)),
    ).toEqual([['newest', 'new'], ['old']])
    stop()
  })

  it('show a failed send even if the event arrives before the response', () => {
    const client = new QueryClient()
    const page = {
      data: [
        {
          kind: 'message',
          id: 'm1',
          at: '2',
          message: message({ id: 'm1', created_at: '2' }),
        },
      ],
      next_cursor: null,
    } as unknown as TimelinePage
    client.setQueryData(keys.timeline('a', null), {
      pages: [page],
      pageParams: [null],
    })
    const shown = () =>
      client
        .getQueryData<{ pages: TimelinePage[] }>(keys.timeline('a', null))
        ?.pages[0]?.data.map((one) =>
          one.kind === 'message' ? `${one.id} ${one.message.status}` : one.kind,
        )
    putMessage(
      client,
      message({ id: 'm0', created_at: '1', status: 'failed' }),
      false,
    ) // on a page that is not loaded
    expect(shown()).toEqual(['m1 queued'])
    putMessage(
      client,
      message({ id: 'm2', created_at: '3', status: 'failed' }),
      false,
    )
    putMessage(client, message({ id: 'm2', created_at: '3' }), true)
    expect(shown()).toEqual(['m2 failed', 'm1 queued'])
  })

  it('never move a status backwards', () => {
    const held = message({ status: 'held', text: 'old' })
    expect(newerMessage(held, message({ status: 'queued' })).status).toBe(
      'queued',
    )
    expect(newerMessage(message({ status: 'queued' }), held).status).toBe(
      'queued',
    )
    expect(
      newerMessage(held, message({ status: 'held', text: 'new' })).text,
    ).toBe('new')
    expect(
      newerMessage(
        message({ status: 'delivered' }),
        message({ status: 'queued' }),
      ).status,
    ).toBe('delivered')
    expect(
      newerMessage(message({ status: 'sent' }), message({ status: 'read' }))
        .status,
    ).toBe('read')
    // Keep the error: it decides whether to ask before sending again.
    const failed = message({
      status: 'failed',
      error: { code: 'uncertain', params: {}, message: '' },
    })
    expect(
      newerMessage(failed, message({ status: 'queued', error: null })).error
        ?.code,
    ).toBe('uncertain')
    expect(
      newerMessage(failed, message({ status: 'delivered', error: null })),
    ).toMatchObject({ status: 'delivered', error: null })
    expect(newerMessage(message({ status: 'delivered' }), failed).status).toBe(
      'delivered',
    )
    expect(newerMessage(message({ status: 'queued' }), failed).status).toBe(
      'failed',
    )
    expect(
      newerMessage(
        message({
          status: 'failed',
          error: { code: 'blocked', params: {}, message: '' },
        }),
        message({ status: 'sent', error: null }),
      ).status,
    ).toBe('failed')
  })
})
