import type { Card } from '../api/types'
import { clock, dayKey, moment } from '../ui/format'

const day = 86_400_000

/** dueTone is red when a card is overdue, amber when it is due within a day; cards that are done have none. */
export function dueTone(
  card: Card,
  now = Date.now(),
): 'red' | 'amber' | undefined {
  if (!card.due_at || card.status !== 'open') return undefined
  const left = Date.parse(card.due_at) - now
  return left < 0 ? 'red' : left < day ? 'amber' : undefined
}

/** dueText is the time today, else the date; future days are not written as weekdays that have passed. */
export function dueText(at: string, now: Date = new Date()): string {
  const date = new Date(at)
  if (dayKey(date) === dayKey(now)) return clock(date)
  return moment(
    date,
    new Date(Math.max(now.getTime(), date.getTime() + 7 * day)),
  )
}

/** toInput writes a time for a field of date and time, by the company's clocks. */
export const toInput = (at: string | null) =>
  at ? `${dayKey(new Date(at))}T${clock(new Date(at))}` : ''

/** fromInput reads such a field. */
export function fromInput(text: string): string | null {
  if (!text) return null
  const wanted = Date.parse(`${text}Z`)
  let at = wanted
  // The first step may cross a change of the clocks, the second one settles it.
  for (let step = 0; step < 2; step++)
    at += wanted - Date.parse(`${toInput(new Date(at).toISOString())}Z`)
  return new Date(at).toISOString()
}
