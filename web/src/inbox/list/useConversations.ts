import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { matches, sameConversations, type ListPage } from '../../api/cache'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type { Conversation, ConversationQuery } from '../../api/types'
import { firstPageSize, pageSize } from './view'

/** conversationsOptions loads a list page by page; the first page only fills a screen. */
export const conversationsOptions = (query: ConversationQuery) =>
  infiniteQueryOptions({
    queryKey: keys.list(query),
    initialPageParam: null as string | null,
    structuralSharing: false, // see sameConversations
    queryFn: async ({
      pageParam,
      signal,
      client,
      queryKey,
    }): Promise<ListPage> => {
      const parameters = {
        ...query,
        limit: pageParam ? pageSize : firstPageSize,
        ...(pageParam ? { cursor: pageParam } : {}),
      }
      return sameConversations(
        await unwrap(
          api.GET('/conversations', { params: { query: parameters }, signal }),
        ),
        client.getQueryData(queryKey),
      )
    },
    getNextPageParam: (page) => page.next_cursor ?? null,
  })

/**
 * joinPages returns a function that joins pages to one list. A conversation that moved while a page was being loaded may be on two
 * pages; the first one counts. The function remembers how many pages each conversation is on and only looks at changed pages: a new
 * message changes one or two pages of a long list.
 */
export function joinPages(): (pages: ListPage[]) => Conversation[] {
  let before = new Set<ListPage>()
  const times = new Map<string, number>()
  const repeated = new Set<string>()
  const count = (page: ListPage, by: number) => {
    for (const { id } of page.data) {
      const n = (times.get(id) ?? 0) + by
      if (n > 0) times.set(id, n)
      else times.delete(id)
      if (n > 1) repeated.add(id)
      else repeated.delete(id)
    }
  }
  return (pages) => {
    const now = new Set(pages)
    before.forEach((page) => !now.has(page) && count(page, -1))
    now.forEach((page) => !before.has(page) && count(page, 1))
    before = now
    const all = ([] as Conversation[]).concat(...pages.map((page) => page.data))
    if (repeated.size === 0) return all
    const known = new Set<string>()
    return all.filter(({ id }) => known.size < known.add(id).size)
  }
}

/** useConversations returns the loaded conversations of a list. */
export function useConversations(query: ConversationQuery) {
  const list = useInfiniteQuery(conversationsOptions(query))
  const [join] = useState(joinPages)
  const rows = useMemo(() => join(list.data?.pages ?? []), [join, list.data])
  return { list, rows }
}

/** pinnedOptions loads the pinned conversations of a list. The server lists them first only if neither a status nor an order is requested. */
function pinnedOptions(query: ConversationQuery) {
  const all: ConversationQuery =
    query.status === 'closed' ? { ...query } : { ...query, snoozed: 'false' }
  delete all.status
  delete all.sort
  return conversationsOptions(all)
}

/** usePinned returns the pinned conversations of a list, or none while searching, in the order of due times, and where the server lists them first. */
export function usePinned(query: ConversationQuery): Conversation[] {
  const me = useMe().user.id
  const enabled =
    (!!query.status || !!query.sort) && query.sort !== 'sla_due' && !query.q
  const { data } = useInfiniteQuery({ ...pinnedOptions(query), enabled })
  return useMemo(
    () =>
      enabled
        ? (data?.pages[0]?.data ?? []).filter(
            (one) => one.pinned && matches(one, query, me),
          )
        : [],
    [enabled, data, query, me],
  )
}

/** pinnedFirst moves the pinned conversations to the top of a list. */
export function pinnedFirst(
  rows: Conversation[],
  pinned: Conversation[],
): Conversation[] {
  if (pinned.length === 0) return rows
  const top = new Set(pinned.map((one) => one.id))
  return [...pinned, ...rows.filter((one) => !top.has(one.id))]
}

/** useConversation returns one conversation, from the cache if a list has it. */
export function useConversation(id: string, listed?: Conversation) {
  return useQuery({
    queryKey: keys.conversation(id),
    queryFn: () =>
      unwrap(api.GET('/conversations/{id}', { params: { path: { id } } })),
    placeholderData: listed,
  })
}
