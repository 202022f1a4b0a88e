/** ReportSearch is what the address says about a report: days as YYYY-MM-DD, ids of a sector and a person. */
export type ReportSearch = {
  from?: string
  to?: string
  sector?: string
  user?: string
}

const day = /^\d{4}-\d{2}-\d{2}$/
const id = /^[\da-f-]{36}$/

/** readReportSearch keeps what an address may say and drops the rest. */
export function readReportSearch(
  search: Record<string, unknown>,
): ReportSearch {
  const fitting = (name: string, pattern: RegExp) =>
    typeof search[name] === 'string' && pattern.test(search[name])
      ? { [name]: search[name] }
      : {}
  return {
    ...fitting('from', day),
    ...fitting('to', day),
    ...fitting('sector', id),
    ...fitting('user', id),
  }
}

export type Period = { from: string; to: string }

/** shift moves a calendar day by some days. */
export function shift(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000)
    .toISOString()
    .slice(0, 10)
}

/** presets are the periods that end today, which is a day of the company's time zone. */
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

/** maxDays is how many days the server takes at once. */
export const maxDays = 366

/** problemOf says what is wrong with a period: its days are in the wrong order, or too many. */
export function problemOf({ from, to }: Period): 'order' | 'long' | null {
  if (from > to) return 'order'
  return shift(from, maxDays) <= to ? 'long' : null
}
