import type { TFunction } from 'i18next'
import type { Assignment, Attendance } from '../api/types'

/** The endings of a menu without a choice, as the server writes them, each with the name of its text. */
const endings: Record<string, string> = {
  'Menu: asked for a person': 'asked',
  'Menu: no valid answer': 'invalid',
  'Menu: no answer in time': 'timeout',
  'Menu: the same text again and again': 'repeated',
  'Menu: too many messages': 'limit',
  'Menu: no longer available': 'changed',
}

const choice = 'Menu: '

/** automaticReason says in the person's language how a menu ended; other reasons stay as they are. */
export function automaticReason(reason: string, t: TFunction): string {
  const ending = endings[reason]
  if (ending) return t(`menuEnd.${ending}`)
  return reason.startsWith(choice)
    ? t('event.menu', { path: reason.slice(choice.length) })
    : reason
}

/** closeReason is why an attendance was closed, for lists; nothing where it was closed automatically after a time. */
export function closeReason(
  {
    close_reason: reason,
    closed_by: by,
  }: Pick<Attendance, 'close_reason' | 'closed_by'>,
  t: TFunction,
): string {
  if (!reason || reason === 'automatic') return ''
  return by ? reason : automaticReason(reason, t)
}

const same = (a: string, b: string) =>
  a.localeCompare(b, undefined, { sensitivity: 'base' }) === 0

/**
 * automaticText says what the server did with a case by itself, or null where a person did it. Where a menu ended is named unless the
 * option that was chosen is called the same.
 */
export function automaticText(
  {
    action,
    by,
    user,
    sector,
    reason,
  }: Pick<Assignment, 'action' | 'by' | 'user' | 'sector' | 'reason'>,
  sectorName: string | undefined,
  t: TFunction,
): string | null {
  if (by || action === 'took_over') return null
  const person = action === 'received' ? user?.name : undefined
  if (!reason && !user) return null // a person or a sector was removed
  if (!reason)
    return person ? t('event.assigned', { name: person }) : t('event.returned')
  const to = person ?? (sector ? sectorName : t('event.queue'))
  const text = automaticReason(reason, t)
  const chosen = endings[reason]
    ? ''
    : reason
        .slice(reason.lastIndexOf('>') + 1)
        .replace(choice, '')
        .trim()
  return !to || same(chosen, to) ? text : t('event.menuTo', { menu: text, to })
}
