import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client'
import { keys } from '../../api/keys'

/** useMatches are the ids of the messages of a conversation that contain a text, newest first; null while they are looked for. */
export function useMatches(
  conversation: string,
  text: string,
): string[] | null {
  const wanted = text.trim()
  const enabled = wanted.length >= 2
  const found = useQuery({
    queryKey: keys.messages(wanted, conversation),
    enabled,
    queryFn: () =>
      answer(
        api.GET('/messages', {
          params: { query: { q: wanted, conversation, limit: 100 } },
        }),
      ),
  })
  if (!enabled) return []
  return found.data ? found.data.data.map((hit) => hit.message.id) : null
}
