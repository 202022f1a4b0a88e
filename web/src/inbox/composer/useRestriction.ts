import { useQuery } from '@tanstack/react-query'
import { rulesOptions, useMe, useRowNames } from '../../api/queries'
import type { AttendanceRules, Conversation, Session } from '../../api/types'

/** restricts reports whether the rules keep a user from replying in a conversation; see restricted mode in docs/attendances.md. */
export function restricts(
  rules: Pick<AttendanceRules, 'mode' | 'first_responder_takes_ownership'>,
  conversation: Pick<Conversation, 'attendance' | 'assignee'>,
  user: Pick<Session['user'], 'id' | 'role'>,
): boolean {
  if (
    rules.mode !== 'restricted' ||
    !conversation.attendance ||
    conversation.assignee === user.id ||
    user.role !== 'agent'
  )
    return false
  return (
    conversation.assignee !== null || !rules.first_responder_takes_ownership
  )
}

/** Restriction is why a user cannot reply: the case is assigned to a colleague, or to nobody and must be taken first. */
export type Restriction = { responsible: string | null }

/** useRestriction returns what keeps the user from replying in a conversation, or null. */
export function useRestriction(conversation: Conversation): Restriction | null {
  const { user } = useMe()
  const names = useRowNames()
  const rules = useQuery({ ...rulesOptions, staleTime: 60_000 }).data
  if (!rules || !restricts(rules, conversation, user)) return null
  return {
    responsible:
      conversation.assignee && (names.person(conversation.assignee) ?? ''),
  }
}
