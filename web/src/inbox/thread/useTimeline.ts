import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { TimelineEntry } from '../../api/types'
import { timeOf } from '../../contact/place'

type Page = { before?: string; after?: string; around?: string; at?: string }

/** useTimeline loads the thread of a conversation: from its end, or around a message or time. */
export function useTimeline(id: string, around: string | null) {
  const at = around && timeOf(around)
  const first: Page = at ? { at } : around ? { around } : {}
  const timeline = useInfiniteQuery({
    queryKey: keys.timeline(id, around),
    initialPageParam: first,
    structuralSharing: false, // lines are added at both ends, so a comparison by position would copy all of them
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/conversations/{id}/timeline', {
          params: { path: { id }, query: { limit: 50, ...pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (page): Page | null =>
      page.before ? { before: page.before } : null,
    getPreviousPageParam: (page): Page | null =>
      around && page.after && page.data.length > 0
        ? { after: page.after }
        : null,
  })
  const entries = useMemo(() => {
    const seen = new Set<string>()
    const all: TimelineEntry[] = []
    for (const page of timeline.data?.pages ?? []) {
      for (const entry of page.data) {
        const key = `${entry.kind} ${entry.id}`
        if (!seen.has(key)) all.push(entry as TimelineEntry) // discriminated by kind
        seen.add(key)
      }
    }
    return all.reverse()
  }, [timeline.data])
  return { timeline, entries }
}

/** firstUnread returns the id of the first of the customer's last n messages. */
export function firstUnread(
  entries: TimelineEntry[],
  n: number,
): string | null {
  let left = n
  let found: string | null = null
  for (let index = entries.length - 1; index >= 0 && left > 0; index--) {
    const entry = entries[index]
    if (entry?.kind !== 'message' || entry.message.direction !== 'inbound')
      continue
    found = entry.id
    left--
  }
  return found
}
