import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { sameConversations, type ListPage } from '../api/cache'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Conversation, ConversationQuery } from '../api/types'
import { firstPageSize, pageSize } from './view'

/** conversationsOptions load a list page by page; the first page only fills a screen. */
export const conversationsOptions = (query: ConversationQuery) =>
  infiniteQueryOptions({
    queryKey: keys.list(query),
    initialPageParam: null as string | null,
    structuralSharing: false, // see sameConversations
    queryFn: async ({ pageParam, signal, client, queryKey }): Promise<ListPage> => {
      const parameters = { ...query, limit: pageParam ? pageSize : firstPageSize, ...(pageParam ? { cursor: pageParam } : {}) }
      return sameConversations(await answer(api.GET('/conversations', { params: { query: parameters }, signal })), client.getQueryData(queryKey))
    },
    getNextPageParam: (page) => page.next_cursor ?? null,
  })

/**
 * joinPages returns the function that joins pages to one list. A conversation that moved while a page was being loaded may be in two
 * pages; the first one counts. The function remembers in how many pages each conversation is and looks only into pages that changed: a
 * new message changes one or two pages of a long list.
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

/** useConversations are the conversations of a list that are loaded. */
export function useConversations(query: ConversationQuery) {
  const list = useInfiniteQuery(conversationsOptions(query))
  const [join] = useState(joinPages)
  const rows = useMemo(() => join(list.data?.pages ?? []), [join, list.data])
  return { list, rows }
}

/** useConversation is one conversation, from the cache where a list has it. */
export function useConversation(id: string, listed?: Conversation) {
  return useQuery({
    queryKey: keys.conversation(id),
    queryFn: () => answer(api.GET('/conversations/{id}', { params: { path: { id } } })),
    placeholderData: listed,
  })
}
