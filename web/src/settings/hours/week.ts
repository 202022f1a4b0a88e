import type { HoursPeriod, WeeklyPeriod } from '../../api/types'

/** The days of the week as named in the API, Monday first. */
export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof days)[number]
export const weekdays: readonly Day[] = days.slice(0, 5)

/** Week holds the open periods of every day; a day without any is closed. */
export type Week = Record<Day, HoursPeriod[]>

/** Wrong is an error of a period: a time is missing, the end is not after the start, or it overlaps another period. */
export type Wrong = 'missing' | 'order' | 'overlap'

const dayEnd = 24 * 60

/** minutesOf converts a time of day to minutes. */
export const minutesOf = (time: string) =>
  Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

const timeOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** readTime parses a typed time such as 8, 830, 8:30 or 8h30, or returns null. As an end, midnight is 24:00. */
export function readTime(text: string, end: boolean): string | null {
  const [, whole, minute = '00'] =
    /^(\d{1,2}?)(?:\s*[:h.]?\s*(\d{2}))?\s*h?$/i.exec(text.trim()) ?? []
  const minutes = Number(whole) * 60 + Number(minute)
  if (!whole || Number(minute) > 59 || minutes > dayEnd) return null
  if (minutes === 0 && end) return '24:00'
  return minutes === dayEnd && !end ? null : timeOf(minutes)
}

/** everyDay builds a week day by day. */
export const everyDay = (make: (day: Day) => HoursPeriod[]) =>
  Object.fromEntries(days.map((day) => [day, make(day)])) as Week

/** firstWeek is the week of new opening hours. */
export const firstWeek = (): Week =>
  everyDay((day) =>
    weekdays.includes(day) ? [{ from: '08:00', to: '18:00' }] : [],
  )

const byTime = (a: HoursPeriod, b: HoursPeriod) =>
  a.from.localeCompare(b.from) || a.to.localeCompare(b.to)

/** weekOf converts the API's periods to a week, with each day sorted. */
export const weekOf = (weekly: WeeklyPeriod[]): Week =>
  everyDay((day) =>
    weekly
      .filter((period) => period.days.includes(day))
      .map(({ from, to }) => ({ from, to }))
      .sort(byTime),
  )

/** Place identifies one period of a week. */
export type Place = { day: Day; index: number }

/** weeklyOf converts a week to the API's format, in which equal periods of several days are one. places maps them back to the week. */
export function weeklyOf(week: Week): {
  weekly: WeeklyPeriod[]
  places: Place[][]
} {
  const found = new Map<string, { period: WeeklyPeriod; places: Place[] }>()
  for (const day of days) {
    for (const [index, { from, to }] of week[day].entries()) {
      const key = `${from} ${to}`
      const known = found.get(key) ?? {
        period: { days: [], from, to },
        places: [],
      }
      if (!known.period.days.includes(day)) known.period.days.push(day)
      known.places.push({ day, index })
      found.set(key, known)
    }
  }
  const all = [...found.values()].sort((a, b) => byTime(a.period, b.period))
  return {
    weekly: all.map(({ period }) => period),
    places: all.map(({ places }) => places),
  }
}

/** wrongOf returns the error of each period of a day, or null. Of two overlapping periods the later one is wrong. */
export function wrongOf(periods: HoursPeriod[]): (Wrong | null)[] {
  const overlaps = (one: HoursPeriod, other: HoursPeriod) =>
    one.from < other.to && other.from < one.to
  return periods.map((period, index) => {
    if (!period.from || !period.to) return 'missing'
    if (period.from >= period.to) return 'order'
    return periods
      .slice(0, index)
      .some((other) => other.from && other.to && overlaps(period, other))
      ? 'overlap'
      : null
  })
}

/** addPeriod adds a period an hour after the last one, four hours long if possible, or returns null if there is no room. */
export function addPeriod(periods: HoursPeriod[]): HoursPeriod[] | null {
  if (periods.length === 0) return [{ from: '08:00', to: '18:00' }]
  const end = Math.max(
    ...periods.map(({ from, to }) => minutesOf(to || from || '00:00')),
  )
  const from = Math.min(end + 60, dayEnd - 60)
  if (from < end) return null
  return [
    ...periods,
    { from: timeOf(from), to: timeOf(Math.min(from + 240, dayEnd)) },
  ]
}

/** addBreak inserts a one-hour break into the longest period of a day, at noon if possible, or returns null if no period is long enough. */
export function addBreak(periods: HoursPeriod[]): HoursPeriod[] | null {
  const length = ({ from, to }: HoursPeriod) =>
    from && to ? minutesOf(to) - minutesOf(from) : 0
  const longest = periods.reduce<HoursPeriod | null>(
    (found, one) => (length(one) > (found ? length(found) : 0) ? one : found),
    null,
  )
  if (!longest || length(longest) < 120) return null
  const [from, to, noon] = [
    minutesOf(longest.from),
    minutesOf(longest.to),
    12 * 60,
  ]
  const middle = Math.floor((from + to - 60) / 2 / 30) * 30
  const begin =
    noon > from && noon + 60 < to ? noon : Math.max(middle, from + 15)
  return periods.flatMap((one) =>
    one === longest
      ? [
          { from: one.from, to: timeOf(begin) },
          { from: timeOf(begin + 60), to: one.to },
        ]
      : [one],
  )
}

/** copyDay copies the periods of one day to others. */
export const copyDay = (week: Week, from: Day, to: readonly Day[]): Week =>
  everyDay((day) =>
    to.includes(day) ? week[from].map((period) => ({ ...period })) : week[day],
  )

/** splitAtMidnight splits a period that ends on the next day at midnight. */
export function splitAtMidnight(week: Week, day: Day, index: number): Week {
  const period = week[day][index]
  const next = days[(days.indexOf(day) + 1) % days.length]
  if (!period || !next) return week
  const rest =
    period.to > '00:00' && period.to < '24:00'
      ? [{ from: '00:00', to: period.to }]
      : []
  return {
    ...week,
    [day]: week[day].map((one, at) =>
      at === index ? { ...one, to: '24:00' } : one,
    ),
    [next]: [...rest, ...week[next]],
  }
}

/** Bar is a period in the day's bar, in percent. */
export type Bar = { left: number; width: number }

/** barsOf returns the open parts of the day's bar, without incomplete periods. */
export function barsOf(periods: HoursPeriod[]): Bar[] {
  return periods
    .filter(({ from, to }) => from && to && from < to)
    .map(({ from, to }) => ({
      left: (minutesOf(from) / dayEnd) * 100,
      width: ((minutesOf(to) - minutesOf(from)) / dayEnd) * 100,
    }))
}

/** Run is a series of consecutive days with the same periods. */
export type Run = { first: Day; last: Day; periods: HoursPeriod[] }

/** runsOf groups consecutive days with the same periods and omits closed days. */
export function runsOf(week: Week): Run[] {
  const runs: Run[] = []
  let previous: Run | null = null
  for (const day of days) {
    const periods = [...week[day]].sort(byTime)
    if (periods.length === 0) previous = null
    else if (previous && textOf(previous.periods) === textOf(periods))
      previous.last = day
    else runs.push((previous = { first: day, last: day, periods }))
  }
  return runs
}

/** textOf formats the periods of a day: 08:00–12:00, 13:00–18:00. */
export const textOf = (periods: HoursPeriod[]) =>
  periods.map(({ from, to }) => `${from}–${to}`).join(', ')
