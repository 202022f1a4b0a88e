import type { Card } from '../api/types'
import { clock, dayKey, moment } from '../ui/format'

const day = 86_400_000

/** dueTone is red for an overdue card and amber within a day of the due date; finished cards have none. */
export function dueTone(
  card: Card,
  now = Date.now(),
): 'red' | 'amber' | undefined {
  if (!card.due_at || card.status !== 'open') return undefined
  const left = Date.parse(card.due_at) - now
  return left < 0 ? 'red' : left < day ? 'amber' : undefined
}

/** dueText formats a due date: the time if it is today, otherwise the date. Future days are not shown as weekdays. */
export function dueText(at: string, now: Date = new Date()): string {
  const date = new Date(at)
  if (dayKey(date) === dayKey(now)) return clock(date)
  return moment(
    date,
    new Date(Math.max(now.getTime(), date.getTime() + 7 * day)),
  )
}

/** toInput converts a time to the value of a date-time input in the company's time zone. */
export const toInput = (at: string | null) =>
  at ? `${dayKey(new Date(at))}T${clock(new Date(at))}` : ''

/** fromInput parses the value of such an input. */
export function fromInput(text: string): string | null {
  if (!text) return null
  const wanted = Date.parse(`${text}Z`)
  let at = wanted
  // The first step may cross a clock change; the second corrects it.
  for (let step = 0; step < 2; step++)
    at += wanted - Date.parse(`${toInput(new Date(at).toISOString())}Z`)
  return new Date(at).toISOString()
}
