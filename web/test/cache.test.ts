// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { matches, merged, newerMessage, placed, putConversation, putMessage, sameConversations, updateConversation, type ListPage } from '../src/api/cache'
import { keepChanges } from '../src/api/journal'
import { keys } from '../src/api/keys'
import type { Conversation, Message, TimelinePage } from '../src/api/types'
import { protocolIn } from '../src/inbox/protocol'
import { joinPages, pinnedFirst } from '../src/inbox/useConversations'
import { restricts } from '../src/inbox/useRestriction'
import { heldOrder } from '../src/inbox/useHeld'
import { rangeAt } from '../src/inbox/useVisibleRows'
import { queryOf } from '../src/inbox/view'

const conversation = (id: string, at: string, fields: Partial<Conversation> = {}): Conversation => ({
  id, kind: 'direct', name: id, phone: null, contact: null, channel: 'c', assignee: null, sector: null, archived: false, pinned: false, muted: false, label_ids: [], unread: false, unread_count: 0,
  last_message: { id: `m-${id}`, type: 'text', text: '', direction: 'inbound', created_at: at, status: 'received', file_name: null, duration_seconds: null, notice: null }, created_at: at, updated_at: at, attendance: { id: 'x', protocol: 'ATD-000001', opened_at: at, waiting_since: at }, window_expires_at: null, snoozed_until: null, bot_paused_until: null, ...fields,
})
const list = (...data: Conversation[]) => ({ pages: [{ data, next_cursor: null } as ListPage], pageParams: [null] })
const ids = (value: { pages: ListPage[] }) => value.pages.flatMap((page) => page.data.map((one) => one.id))
const message = (fields: Partial<Message>): Message => ({
  id: 'm', client_id: null, conversation: 'a', direction: 'outbound', origin: 'app', type: 'text', text: 'x', media_id: null, media: null, reply_to_external_id: null, external_id: null, status: 'queued', error: null,
  sent_by: null, created_at: '1', sent_at: null, delivered_at: null, read_at: null, author: null, edited_at: null, revoked_at: null, reactions: [], product: null, referral: null, interactive: null, choice: null, voice: false, integration: null, notice: null, form: null, standby: false, ...fields,
})

describe('lists in the cache', () => {
  it('put a conversation with a new message first', () => {
    const before = list(conversation('a', '3'), conversation('b', '2'))
    expect(ids(placed(before, conversation('b', '4'), { status: 'open' }, 'me'))).toEqual(['b', 'a'])
  })

  it('show who waits longest first', () => {
    const before = list(conversation('a', '1'), conversation('b', '2'))
    expect(ids(placed(before, conversation('c', '0'), { status: 'waiting', sort: 'oldest_waiting' }, 'me'))).toEqual(['c', 'a', 'b'])
  })

  it('drop a conversation that was taken from the queue and add it to its owner', () => {
    const taken = conversation('a', '1', { assignee: 'me' })
    expect(ids(placed(list(conversation('a', '1')), taken, { status: 'waiting' }, 'me'))).toEqual([])
    expect(ids(placed(list(), taken, { status: 'open', assignee: 'me' }, 'me'))).toEqual(['a'])
    expect(ids(placed(list(), taken, { status: 'open', assignee: 'me' }, 'other'))).toEqual([])
  })

  it('leave a search to the server', () => {
    expect(matches(conversation('a', '1'), { q: 'x' }, 'me')).toBeNull()
    expect(ids(placed(list(), conversation('a', '1'), { q: 'x' }, 'me'))).toEqual([])
  })

  it('change in every list at once', () => {
    const client = new QueryClient()
    client.setQueryData(keys.list({ status: 'open' }), list(conversation('a', '1')))
    client.setQueryData(keys.list({ status: 'closed' }), list())
    putConversation(client, conversation('a', '1', { attendance: null }), 'me')
    expect(ids(client.getQueryData(keys.list({ status: 'open' })) as ReturnType<typeof list>)).toEqual([])
    expect(ids(client.getQueryData(keys.list({ status: 'closed' })) as ReturnType<typeof list>)).toEqual(['a'])
  })

  it('keep the draft of a conversation when an event changes it', () => {
    const client = new QueryClient()
    const draft = { text: 'Bom', reply_to_external_id: null, updated_at: '1' }
    client.setQueryData(keys.list({ status: 'open' }), list(conversation('a', '1', { draft })))
    updateConversation(client, conversation('a', '2'), 'me')
    expect(client.getQueryData<ReturnType<typeof list>>(keys.list({ status: 'open' }))?.pages[0]?.data[0]).toMatchObject({ draft, updated_at: '2' })
    expect(client.getQueryState(keys.conversation('a'))).toBeUndefined()
    putConversation(client, conversation('a', '2', { draft: null }), 'me')
    expect(client.getQueryData<ReturnType<typeof list>>(keys.list({ status: 'open' }))?.pages[0]?.data[0]?.draft).toBeNull()
  })

  it('have a conversation once that moved while a page with it was on its way', () => {
    const pages = [{ data: [conversation('b', '9'), conversation('a', '8')], next_cursor: 'x' }, { data: [conversation('c', '3'), conversation('b', '2')], next_cursor: null }] as ListPage[]
    expect(ids(placed({ pages, pageParams: [null, 'x'] }, conversation('b', '9'), { status: 'open' }, 'me'))).toEqual(['b', 'a', 'c'])
  })

  it('keep every other conversation and page as it is', () => {
    const rows = ['a', 'b', 'c', 'd'].map((id, index) => conversation(id, String(9 - index)))
    const before = { pages: [{ data: rows.slice(0, 2), next_cursor: 'x' }, { data: rows.slice(2), next_cursor: null }] as ListPage[], pageParams: [null, 'x'] }
    const after = placed(before, conversation('b', '91'), { status: 'open' }, 'me')
    expect(ids(after)).toEqual(['b', 'a', 'c', 'd'])
    expect(after.pages[0]?.data[1]).toBe(rows[0])
    expect(after.pages[1]).toBe(before.pages[1])
    const fetched = sameConversations({ data: [conversation('c', '92'), conversation('a', '9')] }, before)
    expect(fetched.data[1]).toBe(rows[0])
    expect(fetched.data[0]?.last_message?.created_at).toBe('92')
  })

  it('add nothing that belongs on a page that is not loaded', () => {
    const before = { pages: [{ data: [conversation('a', '3'), conversation('b', '2')], next_cursor: 'x' }] as ListPage[], pageParams: [null] }
    expect(ids(placed(before, conversation('c', '1'), { status: 'open' }, 'me'))).toEqual(['a', 'b'])
    expect(ids(placed(before, conversation('a', '1'), { status: 'open' }, 'me'))).toEqual(['b', 'a'])
  })

  it('keep their order while they are held, and count what changed', () => {
    const [a, b, c] = [conversation('a', '3'), conversation('b', '2'), conversation('c', '1')]
    const held = heldOrder([a, b], [{ ...b, unread_count: 2 }, a, c])
    expect(held.rows.map((one) => one.id)).toEqual(['a', 'b', 'c'])
    expect(held.rows[1]?.unread_count).toBe(2)
    expect(heldOrder([a, b, c], [c, a, b]).updates).toBe(1)
    expect(heldOrder([a, b], [a, b]).updates).toBe(0)
    expect(heldOrder([b], [a, b]).updates).toBe(1)
    const shown = (before: Conversation[], now: Conversation[]) => {
      const { rows, updates } = heldOrder(before, now)
      return `${rows.map((one) => one.id).join('')} ${updates}`
    }
    const [d, e] = [conversation('d', '0'), conversation('e', '0')]
    expect(shown([a, b, c, d], [a, c, b, d, e])).toBe('abcde 1')
    expect(shown([a, b, c, d], [a, c, d])).toBe('abcd 1')
    expect(shown([a, b, c], [e, a, b, c, d])).toBe('abcd 1')
    expect(shown([a, b, c], [a, b])).toBe('abc 1')
    expect(shown([a, b, c], [b, c, a, d])).toBe('abcd 2')
    expect(shown([], [a, b])).toBe(' 2')
  })

  it('have a conversation once that moved while a page was being loaded', () => {
    const [a, b, c] = [conversation('a', '3'), conversation('b', '2'), conversation('c', '1')]
    const [ba, ac, b1, c1, cab] = [[b, a], [a, c], [b], [c], [c, a, b]].map((data) => ({ data, next_cursor: null }) as ListPage) as [ListPage, ListPage, ListPage, ListPage, ListPage]
    const join = joinPages()
    expect(join([ba, ac])).toEqual([b, a, c])
    expect(join([ba, c1])).toEqual([b, a, c])
    expect(join([b1, ac])).toEqual([b, a, c])
    expect(join([cab, b1])).toEqual([c, a, b])
    expect(join([cab])).toEqual([c, a, b])
    expect(join([])).toEqual([])
    expect(join([ba, ac])).toEqual([b, a, c])
  })

  it('draw the rows in view with some around them, and other ones when few of these are left', () => {
    const start = rangeAt(0, 500, 100)
    expect(start).toEqual({ first: 0, last: 10 })
    expect(rangeAt(300, 500, 100, start)).toBe(start)
    expect(rangeAt(400, 500, 100, start)).toEqual({ first: 0, last: 14 })
    expect(rangeAt(100_050, 500, 100, start)).toEqual({ first: 995, last: 1010 })
    expect(rangeAt(0, 500, 100, { first: 995, last: 1010 })).toEqual(start)
  })
})

describe('threads in the cache', () => {
  it('hold a message once by its client_id', () => {
    const entry = (one: Message) => ({ kind: 'message' as const, id: one.id, at: one.created_at, message: one })
    const before = { pages: [{ data: [entry(message({ id: 'p', client_id: 'k' }))], before: null, after: null }], pageParams: [{}] }
    const after = merged(before, entry(message({ id: 'm', client_id: 'k', status: 'sent' })))
    expect(after.pages[0]?.data.map((one) => one.id)).toEqual(['m'])
  })

  it('keep a message that came while older pages were being loaded', async () => {
    const client = new QueryClient()
    keepChanges(client)
    const entry = (one: Message) => ({ kind: 'message' as const, id: one.id, at: one.created_at, message: one })
    let arrive: (page: TimelinePage) => void = () => undefined
    const options = {
      queryKey: keys.timeline('a', null), structuralSharing: false, initialPageParam: '',
      getNextPageParam: (page: TimelinePage) => page.before,
      queryFn: ({ pageParam }: { pageParam: string }) => (pageParam ? new Promise<TimelinePage>((resolve) => (arrive = resolve)) : { data: [entry(message({ id: 'new' }))], before: 'x', after: null }),
    }
    const observer = new InfiniteQueryObserver(client, options)
    const stop = observer.subscribe(() => undefined)
    await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true)
    const older = observer.fetchNextPage()
    putMessage(client, message({ id: 'newest' }), true)
    arrive({ data: [entry(message({ id: 'old' }))], before: null, after: null })
    await older
    expect(client.getQueryData<{ pages: TimelinePage[] }>(options.queryKey)?.pages.map((page) => page.data.map((one) => one.id))).toEqual([['newest', 'new'], ['old']])
    stop()
  })

  it('show a send that failed before the answer to it arrived', () => {
    const client = new QueryClient()
    const page = { data: [{ kind: 'message', id: 'm1', at: '2', message: message({ id: 'm1', created_at: '2' }) }], next_cursor: null } as unknown as TimelinePage
    client.setQueryData(keys.timeline('a', null), { pages: [page], pageParams: [null] })
    const shown = () => client.getQueryData<{ pages: TimelinePage[] }>(keys.timeline('a', null))?.pages[0]?.data.map((one) => (one.kind === 'message' ? `${one.id} ${one.message.status}` : one.kind))
    putMessage(client, message({ id: 'm0', created_at: '1', status: 'failed' }), false) // one of a page that is not loaded
    expect(shown()).toEqual(['m1 queued'])
    putMessage(client, message({ id: 'm2', created_at: '3', status: 'failed' }), false)
    putMessage(client, message({ id: 'm2', created_at: '3' }), true)
    expect(shown()).toEqual(['m2 failed', 'm1 queued'])
  })

  it('never step back in a status', () => {
    expect(newerMessage(message({ status: 'delivered' }), message({ status: 'queued' })).status).toBe('delivered')
    expect(newerMessage(message({ status: 'sent' }), message({ status: 'read' })).status).toBe('read')
    // Why it failed stays known, since it decides whether a person is asked before it is sent again.
    const failed = message({ status: 'failed', error: { code: 'uncertain', message: '' } })
    expect(newerMessage(failed, message({ status: 'queued', error: null })).error?.code).toBe('uncertain')
    expect(newerMessage(failed, message({ status: 'delivered', error: null }))).toMatchObject({ status: 'delivered', error: null })
    expect(newerMessage(message({ status: 'delivered' }), failed).status).toBe('delivered')
    expect(newerMessage(message({ status: 'queued' }), failed).status).toBe('failed')
    expect(newerMessage(message({ status: 'failed', error: { code: 'blocked', message: '' } }), message({ status: 'sent', error: null })).status).toBe('failed')
  })
})

describe('views', () => {
  it('ask the server for what they show', () => {
    expect(queryOf('waiting', {}, [])).toEqual({ status: 'waiting', sort: 'oldest_waiting' })
    expect(queryOf('mine', { label: 'l' }, [])).toEqual({ status: 'open', assignee: 'me', label: 'l' })
    expect(queryOf('waiting', { q: 'ana' }, [])).toEqual({ q: 'ana' })
  })
})

describe('the inbox', () => {
  it('shows pinned conversations on top, each once', () => {
    const [a, b, c] = [conversation('a', '3'), conversation('b', '2', { pinned: true }), conversation('c', '1', { pinned: true })]
    expect(pinnedFirst([a, b], [b, c]).map((one) => one.id)).toEqual(['b', 'c', 'a'])
    const rows = [a]
    expect(pinnedFirst(rows, [])).toBe(rows)
  })

  it('reads protocol numbers as people type them', () => {
    expect(['ATD-000123', ' atd-123 ', '000123', '123', 'atd123', 'ATD-P000002', 'p2'].map(protocolIn)).toEqual(['ATD-000123', 'ATD-123', 'ATD-000123', 'ATD-123', 'ATD-123', 'ATD-P000002', 'ATD-P2'])
    expect(['', 'Lia', '11912345678', '12a', 'ATD-'].map(protocolIn)).toEqual([null, null, null, null, null])
  })

  it('knows before sending who may reply', () => {
    const rules = { mode: 'restricted' as const, first_responder_takes_ownership: true }
    const agent = { id: 'me', role: 'agent' as const }
    const of = (assignee: string | null) => conversation('a', '1', { assignee })
    expect(restricts(rules, of('other'), agent)).toBe(true)
    expect(restricts(rules, of('me'), agent)).toBe(false)
    expect(restricts(rules, of(null), agent)).toBe(false)
    expect(restricts({ ...rules, first_responder_takes_ownership: false }, of(null), agent)).toBe(true)
    expect(restricts(rules, of('other'), { id: 'me', role: 'manager' })).toBe(false)
    expect(restricts({ ...rules, mode: 'liberal' }, of('other'), agent)).toBe(false)
    expect(restricts(rules, conversation('a', '1', { assignee: 'other', attendance: null }), agent)).toBe(false)
  })
})
