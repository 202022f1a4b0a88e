import i18next from 'i18next'
import type { Times } from '../api/types'

/** span formats a duration: "45 s", "8 min", "2 h 5 min", "3 d 4 h". */
export function span(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (seconds > 0 && seconds < 60) return `${Math.ceil(seconds)} s`
  const parts = (whole: number, unit: string, rest: number, small: string) =>
    rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${small}`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60)
    return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return parts(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** time formats a duration, or returns a dash if there is none. */
export const time = (seconds: number | null) =>
  seconds === null ? '–' : span(seconds)

/** average formats the average of some durations. */
export const average = (times: Times) => time(times.average_seconds)

const minute = 60
const hour = 60 * minute
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 4, 8, 12, 24, 48, 96, 168].map((n) => n * hour),
]

/** roundTicks returns at most six round values for the axis of a chart, from zero to at least the longest duration. */
export function roundTicks(longest: number): number[] {
  const step =
    longest <= minute
      ? 20
      : (steps.find((one) => longest <= 5 * one) ??
        Math.ceil(longest / 5 / (24 * hour)) * 24 * hour)
  const count = Math.max(1, Math.ceil(longest / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** dayName formats a calendar day in the current language. */
export function dayName(date: string, form: 'short' | 'long'): string {
  const options: Intl.DateTimeFormatOptions =
    form === 'short'
      ? { day: '2-digit', month: '2-digit' }
      : { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }
  return new Intl.DateTimeFormat(i18next.language, {
    ...options,
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`))
}
