import {
  replaceEqualDeep,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { change } from './journal'
import { keys } from './keys'
import type {
  Attendance,
  Conversation,
  ConversationQuery,
  Message,
  TimelineEntry,
  TimelinePage,
} from './types'

export type ListPage = {
  data: Conversation[]
  next_cursor?: string | null
  has_more?: boolean
}
type List = InfiniteData<ListPage, string | null>
type Timeline = InfiniteData<TimelinePage, unknown>

/** hasState reports whether the next target of the open case is in a state. */
function hasState(
  { attendance }: Conversation,
  wanted: NonNullable<ConversationQuery['sla']>,
): boolean {
  const state = attendance?.sla?.state
  return wanted === 'at_risk'
    ? state === 'warned' || state === 'breached'
    : state === wanted
}

/** matches reports whether a conversation belongs to a list. Text searches are evaluated only by the server. */
export function matches(
  conversation: Conversation,
  query: ConversationQuery,
  me: string,
  now: number = Date.now(),
): boolean | null {
  if (query.q) return null
  const attended = conversation.attendance != null
  const open = attended || (conversation.unread && !conversation.muted)
  const snoozed =
    conversation.snoozed_until != null &&
    Date.parse(conversation.snoozed_until) > now
  if (query.status === 'open' && !open) return false
  if (
    query.status === 'waiting' &&
    !(attended && conversation.assignee === null)
  )
    return false
  if (query.status === 'closed' && open) return false
  if (
    query.snoozed !== undefined
      ? snoozed !== (query.snoozed === 'true')
      : snoozed && (query.status === 'open' || query.status === 'waiting')
  )
    return false
  if (query.unread === 'true' && !conversation.unread) return false
  if (
    query.archived !== undefined &&
    conversation.archived !== (query.archived === 'true')
  )
    return false
  if (query.kind && conversation.kind !== query.kind) return false
  if (query.sla && !hasState(conversation, query.sla)) return false
  if (query.channel && conversation.channel !== query.channel) return false
  if (query.sector && conversation.sector !== query.sector) return false
  if (query.contact && conversation.contact !== query.contact) return false
  if (query.label && !conversation.label_ids.includes(query.label)) return false
  if (query.assignee === 'none' && conversation.assignee !== null) return false
  if (
    query.assignee &&
    query.assignee !== 'none' &&
    conversation.assignee !== (query.assignee === 'me' ? me : query.assignee)
  )
    return false
  return true
}

const activity = (conversation: Conversation) =>
  conversation.last_message?.created_at ?? conversation.updated_at

/** order compares two conversations in the server's sort order. */
export function order(
  query: ConversationQuery,
): (a: Conversation, b: Conversation) => number {
  const newest = (a: Conversation, b: Conversation) =>
    activity(a) < activity(b) ? 1 : activity(a) > activity(b) ? -1 : 0
  if (query.sort === 'oldest_waiting' || query.sort === 'sla_due') {
    const time = ({ attendance }: Conversation) =>
      (query.sort === 'sla_due'
        ? attendance?.sla?.due_at
        : attendance?.waiting_since) ?? null
    return (a, b) => {
      const [x, y] = [time(a), time(b)]
      if (x !== null && y !== null) return x < y ? -1 : x > y ? 1 : 0
      return x === null && y === null ? newest(a, b) : x === null ? 1 : -1
    }
  }
  if (query.status) return newest
  return (a, b) => (a.pinned !== b.pinned ? (a.pinned ? -1 : 1) : newest(a, b))
}

const indexes = new WeakMap<Conversation[], Map<string, Conversation>>()

/** byId indexes the conversations of a page. Pages are immutable, so the index is cached; long lists are searched for every message. */
function byId({ data }: ListPage): Map<string, Conversation> {
  const known = indexes.get(data)
  if (known) return known
  const index = new Map(data.map((one) => [one.id, one]))
  indexes.set(data, index)
  return index
}

/** findInList returns a conversation as stored in a list. */
function findInList(
  list: List | undefined,
  id: string,
): Conversation | undefined {
  for (const page of list?.pages ?? []) {
    const found = byId(page).get(id)
    if (found) return found
  }
  return undefined
}

/** changed updates the pages that contain a conversation; the other pages keep their identity. */
function changed(
  list: List,
  id: string,
  change: (data: Conversation[]) => Conversation[],
): List {
  const pages = list.pages.map((page) =>
    byId(page).has(id) ? { ...page, data: change(page.data) } : page,
  )
  return pages.some((page, at) => page !== list.pages[at])
    ? { ...list, pages }
    : list
}

/** withPage replaces the conversations of one page; the other pages keep their identity. */
const withPage = (
  list: List,
  index: number,
  change: (data: Conversation[]) => Conversation[],
): List => ({
  ...list,
  pages: list.pages.map((page, at) =>
    at === index ? { ...page, data: change(page.data) } : page,
  ),
})

/**
 * reposition moves a conversation to its position in the loaded pages, or removes it. Pages may grow or shrink. If a page that
 * was being fetched contains the conversation a second time, only one copy remains.
 */
export function reposition(
  list: List,
  conversation: Conversation,
  query: ConversationQuery,
  me: string,
): List {
  const { id } = conversation
  const belongs = matches(conversation, query, me)
  if (belongs === null)
    return changed(list, id, (data) =>
      data.map((one) => (one.id === id ? conversation : one)),
    )
  const without = changed(list, id, (data) =>
    data.filter((one) => one.id !== id),
  )
  if (!belongs) return without
  const compare = order(query)
  for (const [page, { data }] of without.pages.entries()) {
    const at = data.findIndex((one) => compare(conversation, one) < 0)
    if (at >= 0)
      return withPage(without, page, (all) =>
        all.toSpliced(at, 0, conversation),
      )
  }
  const last = without.pages.length - 1
  const complete = without.pages[last]?.next_cursor == null
  // Otherwise it belongs on a page that is not loaded.
  return complete || without !== list
    ? withPage(without, last, (data) => [...data, conversation])
    : without
}

/**
 * sameConversations reuses the objects of unchanged conversations in a fetched page, so that their rows do not re-render.
 * The query cache compares by position, which changes with every new message.
 */
export function sameConversations(
  page: ListPage,
  known: List | undefined,
): ListPage {
  return {
    ...page,
    data: page.data.map((one) =>
      replaceEqualDeep(findInList(known, one.id), one),
    ),
  }
}

/** cached returns a conversation from the cache, on its own or from a list. */
function cached(client: QueryClient, id: string): Conversation | undefined {
  const own = client.getQueryData<Conversation>(keys.conversation(id))
  if (own) return own
  for (const [, list] of client.getQueriesData<List>({
    queryKey: keys.lists,
  })) {
    const found = findInList(list, id)
    if (found) return found
  }
  return undefined
}

/** putConversation stores a conversation from a response and updates every cached copy. */
export function putConversation(
  client: QueryClient,
  conversation: Conversation,
  me: string,
): void {
  client.setQueryData(keys.conversation(conversation.id), {
    ...cached(client, conversation.id),
    ...conversation,
  })
  updateConversation(client, conversation, me)
}

/**
 * updateConversation updates every cached copy of a conversation. Fields that the update lacks, such as the user's draft in events,
 * are kept. Conversations that were never opened get no entry of their own, which would fill the cache on busy days.
 */
export function updateConversation(
  client: QueryClient,
  conversation: Conversation,
  me: string,
): void {
  change(client, () => {
    const next = { ...cached(client, conversation.id), ...conversation }
    if (client.getQueryState(keys.conversation(conversation.id)))
      client.setQueryData(keys.conversation(conversation.id), next)
    for (const query of client
      .getQueryCache()
      .findAll({ queryKey: keys.lists })) {
      const filter = query.queryKey[1] as ConversationQuery
      client.setQueryData<List>(query.queryKey, (list) =>
        list ? reposition(list, next, filter, me) : list,
      )
    }
  })
}

/** dropConversation removes a conversation that the user can no longer see. */
export function dropConversation(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: keys.conversation(id) })
  client.removeQueries({ queryKey: keys.timelines(id) })
  client.setQueriesData<List>({ queryKey: keys.lists }, (list) =>
    list
      ? {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            data: page.data.filter((one) => one.id !== id),
          })),
        }
      : list,
  )
}

/** mergeEntry adds an entry to the newest page or replaces it. Messages match by id or client_id. */
export function mergeEntry(timeline: Timeline, entry: TimelineEntry): Timeline {
  const same = (one: TimelineEntry) =>
    one.kind === entry.kind &&
    (one.id === entry.id ||
      (one.kind === 'message' &&
        entry.kind === 'message' &&
        one.message.client_id !== null &&
        one.message.client_id === entry.message.client_id))
  if (timeline.pages.some((page) => page.data.some(same))) {
    return {
      ...timeline,
      pages: timeline.pages.map((page) =>
        page.data.some(same)
          ? { ...page, data: page.data.map((one) => (same(one) ? entry : one)) }
          : page,
      ),
    }
  }
  const [newest, ...rest] = timeline.pages
  if (!newest) return timeline
  return {
    ...timeline,
    pages: [{ ...newest, data: [entry, ...newest.data] }, ...rest],
  }
}

/** putEntry adds an entry to a conversation's thread if the thread is loaded up to its end. */
export function putEntry(
  client: QueryClient,
  conversation: string,
  entry: TimelineEntry,
): void {
  change(client, () =>
    client.setQueryData<Timeline>(
      keys.timeline(conversation, null),
      (timeline) => (timeline ? mergeEntry(timeline, entry) : timeline),
    ),
  )
}

/** putAttendance updates a case in the loaded threads of its conversation, such as a closed one that the customer rated. */
export function putAttendance(
  client: QueryClient,
  attendance: Attendance,
): void {
  const newer = (entry: TimelineEntry): TimelineEntry =>
    'attendance' in entry && entry.attendance.id === attendance.id
      ? { ...entry, attendance }
      : entry
  change(client, () =>
    client.setQueriesData<Timeline>(
      { queryKey: keys.timelines(attendance.conversation) },
      (timeline) =>
        timeline && {
          ...timeline,
          pages: timeline.pages.map((page) => ({
            ...page,
            data: page.data.map(newer),
          })),
        },
    ),
  )
}

const rank: Record<Message['status'], number> = {
  held: -1,
  received: 0,
  queued: 0,
  sent: 1,
  delivered: 2,
  read: 3,
  failed: 4,
}

/**
 * newerMessage returns the later of two states of a message, since responses and live updates can arrive out of order. A status only
 * moves forward, except that a report resolves an uncertain send.
 */
export function newerMessage(
  known: Message | undefined,
  next: Message,
): Message {
  if (!known || known.direction === 'inbound') return next
  const uncertain = (one: Message) => one.error?.code === 'uncertain'
  if (
    uncertain(known) !== uncertain(next) &&
    known.status !== 'queued' &&
    next.status !== 'queued'
  )
    return uncertain(known) ? next : known
  return rank[next.status] >= rank[known.status] ? next : known
}

function findEntry(timeline: Timeline, id: string): TimelineEntry | undefined {
  for (const page of timeline.pages) {
    const entry = page.data.find(
      (one) => one.kind === 'message' && one.message.id === id,
    )
    if (entry) return entry
  }
  return undefined
}

/**
 * putMessage adds or updates a message in all loaded threads of its conversation. A message newer than the end of a thread
 * is always added: the event of a failed send may arrive before the response.
 */
export function putMessage(
  client: QueryClient,
  message: Message,
  add: boolean,
): void {
  change(client, () => {
    for (const query of client
      .getQueryCache()
      .findAll({ queryKey: keys.timelines(message.conversation) })) {
      const toEnd = query.queryKey[2] === null
      client.setQueryData<Timeline>(query.queryKey, (timeline) =>
        timeline
          ? withMessage(
              timeline,
              message,
              toEnd && (add || isNewest(timeline, message)),
            )
          : timeline,
      )
    }
  })
}

const isNewest = (timeline: Timeline, message: Message) =>
  message.created_at > (timeline.pages[0]?.data[0]?.at ?? '')

/** withMessage returns a thread with the newer state of a message, adding the message if allowed. */
function withMessage(
  timeline: Timeline,
  message: Message,
  add: boolean,
): Timeline {
  const known = findEntry(timeline, message.id)
  const newer = newerMessage(
    known?.kind === 'message' ? known.message : undefined,
    message,
  )
  const entry: TimelineEntry = {
    kind: 'message',
    id: message.id,
    at: known?.at ?? message.created_at,
    message: newer,
  }
  return known || add ? mergeEntry(timeline, entry) : timeline
}
