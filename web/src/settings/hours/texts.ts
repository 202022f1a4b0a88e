import i18next, { type TFunction } from 'i18next'
import type { Hours, HoursStatus } from '../../api/types'
import { todayIn, yearly } from './exceptions'
import { days, runsOf, textOf, weekOf, type Day } from './week'

/** 16 November 2026 is a Monday; the days of that week provide the weekday names. */
const weekday = (day: Day, style: 'long' | 'short') =>
  new Intl.DateTimeFormat(i18next.language, {
    weekday: style,
    timeZone: 'UTC',
  }).format(new Date(Date.UTC(2026, 10, 16 + days.indexOf(day))))

const capital = (text: string) =>
  text.charAt(0).toLocaleUpperCase(i18next.language) + text.slice(1)

/** dayName returns the name of a weekday: Monday. */
export const dayName = (day: Day) => capital(weekday(day, 'long'))

/** shortDay returns the short name of a weekday: Mon. */
export const shortDay = (day: Day) =>
  capital(weekday(day, 'short').replace(/\.$/, ''))

/** weekText formats a week in one line: Mon–Fri 08:00–12:00, 13:00–18:00 · Sat 09:00–12:00. */
export function weekText(hours: Pick<Hours, 'weekly'>): string {
  const name = ({ first, last }: { first: Day; last: Day }) =>
    first === last ? shortDay(first) : `${shortDay(first)}–${shortDay(last)}`
  return runsOf(weekOf(hours.weekly))
    .map((run) => `${name(run)} ${textOf(run.periods)}`)
    .join(' · ')
}

/** dateText formats the date of an exception: Thursday, December 24, 2026, or December 25. */
export function dateText(date: string): string {
  const every = yearly(date)
  const at = new Date(`${every ? `2000-${date.slice(2)}` : date}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return date
  return capital(
    new Intl.DateTimeFormat(i18next.language, {
      day: 'numeric',
      month: 'long',
      timeZone: 'UTC',
      ...(every ? {} : { weekday: 'long', year: 'numeric' }),
    }).format(at),
  )
}

/** statusText says whether opening hours are open and when that changes, in their time zone. */
export function statusText(
  { open, closes_at, next_open_at }: HoursStatus,
  timezone: string,
  t: TFunction,
  now: Date = new Date(),
): string {
  const change = open ? closes_at : next_open_at
  if (!change) return open ? t('hours.alwaysOpen') : t('hours.neverOpen')
  const at = new Date(change)
  const write = (options: Intl.DateTimeFormatOptions) => {
    try {
      return new Intl.DateTimeFormat(i18next.language, {
        timeZone: timezone,
        ...options,
      }).format(at)
    } catch {
      return new Intl.DateTimeFormat(i18next.language, options).format(at) // the browser does not know this time zone
    }
  }
  const time = write({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  if (todayIn(timezone, at) === todayIn(timezone, now))
    return open
      ? t('hours.openUntil', { time })
      : t('hours.closedUntil', { time })
  const near = at.getTime() - now.getTime() < 6 * 86_400_000
  const day = write(
    near
      ? { weekday: 'long' }
      : { day: 'numeric', month: 'long', year: 'numeric' },
  )
  return open
    ? t('hours.openUntilDay', { day, time })
    : t('hours.closedUntilDay', { day, time })
}
