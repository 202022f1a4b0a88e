import type { Holiday, HoursException } from '../../api/types'

/** yearly reports whether an exception recurs every year. */
export const yearly = (date: string) => date.startsWith('--')

/** everyYear returns the date of a yearly exception: --12-25. */
export const everyYear = (date: string) => `--${date.slice(-5)}`

/** todayIn returns today's date in a time zone: 2026-11-15. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }).format(now)
  } catch {
    return now.toISOString().slice(0, 10) // the browser does not know this time zone
  }
}

const leap = (year: number) =>
  (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** nextDate returns the next day of an exception from today on. A one-time exception may be in the past. */
export function nextDate(date: string, today: string): string {
  if (!yearly(date)) return date
  const day = date.slice(2)
  let year = Number(today.slice(0, 4)) + (day < today.slice(5) ? 1 : 0)
  while (day === '02-29' && !leap(year)) year++
  return `${String(year).padStart(4, '0')}-${day}`
}

/** isPast reports whether an exception will not occur again. */
export const isPast = (date: string, today: string) =>
  nextDate(date, today) < today

/** sortExceptions sorts exceptions by their next date; past ones come last, latest first. */
export function sortExceptions<T extends Pick<HoursException, 'date'>>(
  exceptions: T[],
  today: string,
): T[] {
  const compare = (a: T, b: T) => {
    const [x, y] = [nextDate(a.date, today), nextDate(b.date, today)]
    const [pastX, pastY] = [x < today, y < today]
    if (pastX !== pastY) return Number(pastX) - Number(pastY)
    return (
      (pastX ? y.localeCompare(x) : x.localeCompare(y)) ||
      b.date.localeCompare(a.date)
    )
  }
  return [...exceptions].sort(compare)
}

/** exceptionDate returns the date of a holiday's exception: yearly if the holiday is on the same day every year. */
export const exceptionDate = (holiday: Holiday) =>
  holiday.yearly ? everyYear(holiday.date) : holiday.date

/** isThere reports whether there is already an exception for a holiday, in its year or yearly. */
export const isThere = (exceptions: HoursException[], holiday: Holiday) =>
  exceptions.some(
    ({ date }) => date === holiday.date || date === everyYear(holiday.date),
  )

/** toAdd returns the holidays without an exception, except optional and past ones. */
export const toAdd = (
  exceptions: HoursException[],
  holidays: Holiday[],
  today: string,
): Holiday[] =>
  holidays.filter(
    (one) =>
      !one.optional &&
      !isThere(exceptions, one) &&
      !isPast(exceptionDate(one), today),
  )

/** addHolidays adds an exception, closed all day, for each holiday that has none. */
export const addHolidays = (
  exceptions: HoursException[],
  holidays: Holiday[],
): HoursException[] => [
  ...exceptions,
  ...holidays
    .filter((holiday) => !isThere(exceptions, holiday))
    .map((holiday) => ({ date: exceptionDate(holiday), closed: true })),
]

/** yearsOf returns the years of the exceptions' dates, and the current year for yearly ones. */
export const yearsOf = (
  exceptions: HoursException[],
  today: string,
): number[] =>
  [
    ...new Set(
      exceptions.map(({ date }) =>
        Number((yearly(date) ? today : date).slice(0, 4)),
      ),
    ),
  ]
    .filter((year) => year >= 1900 && year < 2200)
    .sort()
    .slice(-6)

/** holidayOf returns the holiday on the date of an exception. */
export const holidayOf = (date: string, holidays: Holiday[]) =>
  holidays.find((holiday) =>
    yearly(date)
      ? holiday.yearly && everyYear(holiday.date) === date
      : holiday.date === date,
  )
