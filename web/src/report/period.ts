/** ReportSearch is the search part of a report's URL: days as YYYY-MM-DD, and the ids of a department and a person. */
export type ReportSearch = {
  from?: string
  to?: string
  sector?: string
  user?: string
}

const day = /^\d{4}-\d{2}-\d{2}$/

/** id matches the id of something. */
export const id = /^[\da-f-]{36}$/

/** fitting returns a search parameter that matches a pattern, or nothing. */
export const fitting = (
  search: Record<string, unknown>,
  name: string,
  pattern: RegExp,
) =>
  typeof search[name] === 'string' && pattern.test(search[name])
    ? { [name]: search[name] }
    : {}

/** days returns the valid days of a period's search parameters. */
export const days = (search: Record<string, unknown>) => ({
  ...fitting(search, 'from', day),
  ...fitting(search, 'to', day),
})

/** readReportSearch returns the valid search parameters and drops the others. */
export const readReportSearch = (
  search: Record<string, unknown>,
): ReportSearch => ({
  ...days(search),
  ...fitting(search, 'sector', id),
  ...fitting(search, 'user', id),
})

export type Period = { from: string; to: string }

/** shift moves a calendar day by a number of days. */
export function shift(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000)
    .toISOString()
    .slice(0, 10)
}

/** presets returns the predefined periods; today is a day in the company's time zone. */
export function presets(
  today: string,
): { name: 'today' | 'week' | 'days30' | 'month'; period: Period }[] {
  return [
    { name: 'today', period: { from: today, to: today } },
    { name: 'week', period: { from: shift(today, -6), to: today } },
    { name: 'days30', period: { from: shift(today, -29), to: today } },
    { name: 'month', period: { from: `${today.slice(0, 8)}01`, to: today } },
  ]
}

/** maxDays is the longest period the server accepts. */
export const maxDays = 366

/** problemOf returns what is wrong with a period: days in the wrong order, or too many of them. */
export function problemOf({ from, to }: Period): 'order' | 'long' | null {
  if (from > to) return 'order'
  return shift(from, maxDays) <= to ? 'long' : null
}
