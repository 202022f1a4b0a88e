import type { TFunction } from 'i18next'
import type { Conversation } from '../api/types'
import { duration } from '../ui/format'

/** Due is the most urgent target of a service level. */
export type Due = NonNullable<NonNullable<Conversation['attendance']>['sla']>

/** Limit is when a target is due, and its state. */
type Limit = { due_at: string; state: string }

export const targets = ['first', 'next', 'resolution'] as const

/** dueOf returns the most urgent target of a conversation's open case, or null. */
export const dueOf = ({ attendance }: Conversation): Due | null =>
  attendance?.sla ?? null

/** secondsLeft returns the time until a target is due. It is negative afterwards. */
const secondsLeft = ({ due_at }: Pick<Due, 'due_at'>, now: number) =>
  (Date.parse(due_at) - now) / 1000

/** isLate reports whether a target is breached. The page may know it before the server says so. */
const isLate = (due: Limit, now: number) =>
  due.state === 'breached' || secondsLeft(due, now) <= 0

/** dueTone returns the tone of a target: amber after the warning, red after the breach. */
export const dueTone = (due: Limit, now: number) =>
  isLate(due, now) ? 'red' : due.state === 'warned' ? 'amber' : 'plain'

/** minutes rounds the time left, because the clock of the page is up to 20 seconds behind, and rounds a delay down; it is at least 1. */
function minutes(due: Pick<Due, 'due_at'>, now: number): number {
  const left = secondsLeft(due, now) / 60
  return Math.max(1, left > 0 ? Math.round(left) : Math.floor(-left))
}

/** dueShort returns the time left in one unit: "12 min", "3 h", and "−5 min" after the breach. */
export function dueShort(due: Limit, now: number): string {
  const n = minutes(due, now)
  const text =
    n < 60
      ? `${n} min`
      : n < 48 * 60
        ? `${Math.floor(n / 60)} h`
        : `${Math.floor(n / 60 / 24)} d`
  return isLate(due, now) ? `−${text}` : text
}

/** dueText names a target and the time left: "First response due in 12 min". */
export function dueText(
  due: Pick<Due, 'target'> & Limit,
  now: number,
  t: TFunction,
): string {
  return t(isLate(due, now) ? 'sla.late' : 'sla.left', {
    target: t(`sla.${due.target}`),
    time: duration(minutes(due, now) * 60),
  })
}
