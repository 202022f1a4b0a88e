import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { rulesOptions } from '../../api/queries'
import type { Attendance, AttendanceRules, Conversation } from '../../api/types'
import { useNow } from '../../ui/useNow'

/** caseHint returns what a message to a conversation without an open case does: it belongs to the case that was just closed, or starts another. */
export function caseHint(
  last: Pick<Attendance, 'closed_at'> | undefined,
  rules: Pick<AttendanceRules, 'enabled' | 'grace_minutes'>,
  now: number,
): 'caseJustClosed' | 'caseClosed' | null {
  if (!last?.closed_at || !rules.enabled) return null
  return now - Date.parse(last.closed_at) < rules.grace_minutes * 60_000
    ? 'caseJustClosed'
    : 'caseClosed'
}

/** useCaseHint returns a sentence about the closed case of a conversation, or null. */
export function useCaseHint(conversation: Conversation): string | null {
  const { t } = useTranslation()
  const closed = conversation.kind === 'direct' && !conversation.attendance
  useNow() // re-render as time passes
  const rules = useQuery({ ...rulesOptions, staleTime: 60_000 }).data
  const last = useQuery({
    queryKey: keys.attendances(conversation.id),
    enabled: closed,
    queryFn: () =>
      unwrap(
        api.GET('/attendances', {
          params: { query: { conversation: conversation.id, limit: 20 } },
        }),
      ),
  }).data?.data[0]
  const hint = closed && rules ? caseHint(last, rules, Date.now()) : null
  return hint && t(`composer.${hint}`)
}
