import type { TFunction } from 'i18next'
import type { Assignment, Attendance, Cause } from '../api/types'

/** causeText says why the server changed or closed a case by itself. */
export function causeText({ code, params }: Cause, t: TFunction): string {
  return t(`cause.${code}`, { ...params, defaultValue: '' })
}

/** closeReason returns why a case was closed: the reason, the note and the text of the person, or '' if it was closed automatically after inactivity. */
export function closeReason(
  {
    close_reason: reason,
    close_cause: cause,
    closing,
  }: Pick<Attendance, 'close_reason' | 'close_cause'> &
    Partial<Pick<Attendance, 'closing'>>,
  t: TFunction,
): string {
  if (cause?.code === 'idle') return ''
  const text = (cause && causeText(cause, t)) || reason
  return [closing?.reason?.name, closing?.note, text]
    .filter(Boolean)
    .join(' – ')
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
    cause,
  }: Pick<Assignment, 'action' | 'by' | 'user' | 'sector' | 'cause'>,
  sectorName: string | undefined,
  t: TFunction,
): string | null {
  if (by || action === 'took_over') return null
  const person = action === 'received' ? user?.name : undefined
  if (!cause && !user) return null // a person or department was removed
  if (!cause)
    return person ? t('event.assigned', { name: person }) : t('event.returned')
  const to = person ?? (sector ? sectorName : t('event.queue'))
  const text = causeText(cause, t)
  const path = cause.params.path
  const chosen =
    typeof path === 'string' ? path.slice(path.lastIndexOf('>') + 1).trim() : ''
  return !to || same(chosen, to) ? text : t('event.menuTo', { menu: text, to })
}
