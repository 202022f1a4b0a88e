import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { GroupMember } from '../api/types'

/** useGroupMembers returns the members of a group as WhatsApp last reported them. */
export function useGroupMembers(conversation: string): GroupMember[] {
  const members = useQuery({
    queryKey: keys.members(conversation),
    staleTime: 15_000, // there is no event for changes of members
    queryFn: () => allMembers(conversation),
  })
  return members.data ?? []
}

/** allMembers loads all members of a group, which can be more than a page. */
async function allMembers(id: string): Promise<GroupMember[]> {
  const members: GroupMember[] = []
  let cursor: string | null | undefined
  do {
    const page = await unwrap(
      api.GET('/conversations/{id}/members', {
        params: {
          path: { id },
          query: { limit: 100, ...(cursor && { cursor }) },
        },
      }),
    )
    members.push(...page.data)
    cursor = page.next_cursor
  } while (cursor)
  return members
}
