import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { has } from '../api/planned'
import { useTimeline } from './useTimeline'

/** fold makes texts comparable without case and accents. */
export const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** useMatches are the ids of the messages of a conversation that contain a text, newest first; null while they are looked for. */
export function useMatches(conversation: string, text: string): string[] | null {
  const wanted = text.trim()
  const enabled = wanted.length >= 2
  const found = useQuery({
    queryKey: keys.messages(wanted, conversation),
    enabled: enabled && has.messageSearch,
    queryFn: () => answer(api.GET('/messages', { params: { query: { q: wanted, conversation, limit: 100 } } })),
  })
  const { entries } = useTimeline(conversation, null)
  if (!enabled) return []
  if (has.messageSearch) return found.data ? found.data.data.map((hit) => hit.message.id) : null
  // Without a search on the server, what is loaded is searched.
  return entries.flatMap((entry) => (entry.kind === 'message' && fold(entry.message.text ?? '').includes(fold(wanted)) ? [entry.id] : [])).reverse()
}
