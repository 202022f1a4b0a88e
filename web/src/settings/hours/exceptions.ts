import type { Holiday, HoursException } from '../../api/types'

/** yearly tells whether an exception is on that day of every year. */
export const yearly = (date: string) => date.startsWith('--')

/** everyYear is the date of an exception of every year on the day of a date: --12-25. */
export const everyYear = (date: string) => `--${date.slice(-5)}`

/** todayIn is the date in a time zone: 2026-11-15. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }).format(now)
  } catch {
    return now.toISOString().slice(0, 10) // a time zone that this browser does not know
  }
}

const leap = (year: number) =>
  (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** nextDate is the first day from today on that an exception is about. That of an exception for one day may be past. */
export function nextDate(date: string, today: string): string {
  if (!yearly(date)) return date
  const day = date.slice(2)
  let year = Number(today.slice(0, 4)) + (day < today.slice(5) ? 1 : 0)
  while (day === '02-29' && !leap(year)) year++
  return `${String(year).padStart(4, '0')}-${day}`
}

/** isPast tells whether an exception will not come again. */
export const isPast = (date: string, today: string) =>
  nextDate(date, today) < today

/** sortExceptions puts exceptions in the order in which they come next; past ones are last, the latest first. */
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

/** exceptionDate is the date that an exception for a holiday has: a holiday that is on the same day every year is for every year. */
export const exceptionDate = (holiday: Holiday) =>
  holiday.yearly ? everyYear(holiday.date) : holiday.date

/** isThere tells whether exceptions say something about a holiday already, for its year or for every year. */
export const isThere = (exceptions: HoursException[], holiday: Holiday) =>
  exceptions.some(
    ({ date }) => date === holiday.date || date === everyYear(holiday.date),
  )

/** toAdd are the holidays that are missing among exceptions, without optional ones and those that will not come again. */
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

/** addHolidays adds exceptions for the holidays that have none; they are closed. */
export const addHolidays = (
  exceptions: HoursException[],
  holidays: Holiday[],
): HoursException[] => [
  ...exceptions,
  ...holidays
    .filter((holiday) => !isThere(exceptions, holiday))
    .map((holiday) => ({ date: exceptionDate(holiday), closed: true })),
]

/** yearsOf are the years whose holidays may be among the exceptions: those of their dates, and the present one for those of every year. */
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

/** holidayOf is the holiday that an exception is about. */
export const holidayOf = (date: string, holidays: Holiday[]) =>
  holidays.find((holiday) =>
    yearly(date)
      ? holiday.yearly && everyYear(holiday.date) === date
      : holiday.date === date,
  )
