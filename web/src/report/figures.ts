import i18next from 'i18next'
import type { Report, Times } from '../api/types'

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
export function dayName(
  date: string,
  form: 'short' | 'medium' | 'long',
): string {
  const options: Intl.DateTimeFormatOptions =
    form === 'short'
      ? { day: '2-digit', month: '2-digit' }
      : form === 'medium'
        ? { day: 'numeric', month: 'short' }
        : { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }
  return new Intl.DateTimeFormat(i18next.language, {
    ...options,
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`))
}

/** share formats a part of a whole, or returns a dash if there is no whole. */
export const share = (part: number, whole: number) =>
  whole === 0 ? '–' : percent(part / whole)

/** percent formats a fraction: 0.925 is "93%". */
export const percent = (fraction: number) =>
  new Intl.NumberFormat(i18next.language, {
    style: 'percent',
    maximumFractionDigits: 0,
  }).format(fraction)

/** change formats the difference between two periods: "+12%". It is null if there is nothing to compare. */
export function change(
  now: number | null,
  before: number | null | undefined,
): string | null {
  if (now === null || !before) return null
  return new Intl.NumberFormat(i18next.language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  }).format((now - before) / before)
}

/** rating formats an average rating: 4.6. */
export const rating = (value: number | null) =>
  value === null
    ? '–'
    : new Intl.NumberFormat(i18next.language, {
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
      }).format(value)

/** weekdays returns the names of the days of the week from Monday. */
export function weekdays(form: 'short' | 'long'): string[] {
  const format = new Intl.DateTimeFormat(i18next.language, {
    weekday: form,
    timeZone: 'UTC',
  })
  return Array.from({ length: 7 }, (_, day) =>
    format.format(new Date(Date.UTC(2024, 0, 1 + day))),
  )
}

/** hours lists the hours of a day. */
export const hours = Array.from({ length: 24 }, (_, hour) => hour)

/** hourName formats an hour of the day: 09:00. */
export const hourName = (hour: number) => `${String(hour).padStart(2, '0')}:00`

/** stars lists the ratings from the best to the worst. */
export const stars = [5, 4, 3, 2, 1] as const

/** targets lists the targets of a service level. */
export const targets = ['first', 'next', 'resolution'] as const

/** measured returns how many targets were met and breached altogether. */
export const measured = (sla: Report['sla']) =>
  targets.reduce(
    (sum, one) => ({
      met: sum.met + sla[one].met,
      breached: sum.breached + sla[one].breached,
    }),
    { met: 0, breached: 0 },
  )
