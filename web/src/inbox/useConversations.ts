import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Conversation, ConversationQuery } from '../api/types'

/** useConversations loads a list page by page. */
export function useConversations(query: ConversationQuery) {
  const list = useInfiniteQuery({
    queryKey: keys.list(query),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/conversations', { params: { query: { ...query, limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const rows = useMemo(() => {
    const seen = new Set<string>()
    return (list.data?.pages ?? []).flatMap((page) => page.data).filter((one) => !seen.has(one.id) && seen.add(one.id))
  }, [list.data])
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
