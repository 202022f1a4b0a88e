import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
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

/** useConversations are the conversations of a list that are loaded. */
export function useConversations(query: ConversationQuery) {
  const list = useInfiniteQuery(conversationsOptions(query))
  const rows = useMemo(() => (list.data?.pages ?? []).flatMap((page) => page.data), [list.data])
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
