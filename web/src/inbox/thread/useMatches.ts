import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'

/** useMatches returns the ids of a conversation's messages that contain a text, newest first, or null while searching. */
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
      unwrap(
        api.GET('/messages', {
          params: { query: { q: wanted, conversation, limit: 100 } },
        }),
      ),
  })
  if (!enabled) return []
  return found.data ? found.data.data.map((hit) => hit.message.id) : null
}
