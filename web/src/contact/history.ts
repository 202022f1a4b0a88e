import type { TFunction } from 'i18next'
import type { Assignment, Attendance } from '../api/types'

/** The reasons the server stores when a menu ends without a choice, and the catalogue key of each. */
const endings = {
  'Menu: asked for a person': 'menuEnd.asked',
  'Menu: no valid answer': 'menuEnd.invalid',
  'Menu: no answer in time': 'menuEnd.timeout',
  'Menu: the same text again and again': 'menuEnd.repeated',
  'Menu: too many messages': 'menuEnd.limit',
  'Menu: no longer available': 'menuEnd.changed',
} as const

const isEnding = (reason: string): reason is keyof typeof endings =>
  Object.hasOwn(endings, reason)

const choice = 'Menu: '

/** automaticReason translates the reason of a menu that ended. Other reasons are returned unchanged. */
export function automaticReason(reason: string, t: TFunction): string {
  if (isEnding(reason)) return t(endings[reason])
  return reason.startsWith(choice)
    ? t('event.menu', { path: reason.slice(choice.length) })
    : reason
}

/** closeReason returns why a case was closed, or '' if it was closed automatically after inactivity. */
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
 * automaticText describes what the server did with a case automatically, or returns null if a person did it. The destination of a menu
 * choice is omitted if the chosen option has the same name.
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
  if (!reason && !user) return null // a person or department was removed
  if (!reason)
    return person ? t('event.assigned', { name: person }) : t('event.returned')
  const to = person ?? (sector ? sectorName : t('event.queue'))
  const text = automaticReason(reason, t)
  const chosen = isEnding(reason)
    ? ''
    : reason
        .slice(reason.lastIndexOf('>') + 1)
        .replace(choice, '')
        .trim()
  return !to || same(chosen, to) ? text : t('event.menuTo', { menu: text, to })
}
