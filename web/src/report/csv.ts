import type { TFunction } from 'i18next'
import type { Figures, Report, Times } from '../api/types'
import { hourName, hours, stars, targets, weekdays } from './figures'
import { tablesOf } from './tables'

export type Cell = string | number | null

/** Style is a language's CSV format: the cell separator and the decimal separator. */
type Style = { separator: string; point: string }

const styleOf = (language: string): Style =>
  language.startsWith('en')
    ? { separator: ',', point: '.' }
    : { separator: ';', point: ',' }

/** text escapes a cell. Text that a spreadsheet would treat as a formula is prefixed with an apostrophe. */
function text(cell: Cell, { separator, point }: Style): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell).replace('.', point)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return safe.includes(separator) || /["\r\n]/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe
}

/** table returns rows as CSV with a byte order mark, so that spreadsheets detect UTF-8. */
export function table(rows: Cell[][], language: string): string {
  const style = styleOf(language)
  return `\ufeff${rows.map((row) => row.map((cell) => text(cell, style)).join(style.separator)).join('\r\n')}\r\n`
}

const minutes = (seconds: number | null) =>
  seconds === null ? null : Math.round(seconds / 0.6) / 100

/** times returns the cells of some durations, in minutes. */
export const times = ({
  count,
  average_seconds,
  median_seconds,
  p90_seconds,
}: Times): Cell[] => [
  count,
  minutes(average_seconds),
  minutes(median_seconds),
  minutes(p90_seconds),
]

/** figures returns the cells of one line of figures. */
export const figures = ({
  opened,
  closed,
  first_response,
  resolution,
}: Figures): Cell[] => [
  opened,
  closed,
  ...times(first_response),
  ...times(resolution),
]

/** timesHead returns the headings of the cells of some durations. */
export const timesHead = (name: string, t: TFunction): string[] =>
  (['count', 'average', 'median', 'p90'] as const).map((column) =>
    t(`reportCsv.${column}`, { name }),
  )

/** figureHead returns the headings of the cells of figures. */
export const figureHead = (t: TFunction): string[] => [
  t('report.opened'),
  t('report.closed'),
  ...timesHead(t('report.firstResponse'), t),
  ...timesHead(t('report.resolution'), t),
]

/** surveyRows returns the table of the survey. */
export const surveyRows = (
  survey: Report['survey'],
  t: TFunction,
): Cell[][] => [
  [t('report.satisfaction'), t('report.cases')],
  [t('report.sent'), survey.sent],
  [t('report.answeredSurveys'), survey.answered],
  [t('report.skipped'), survey.skipped],
  ...stars.map((one) => [
    t('report.stars', { count: one }),
    survey.by_rating[one],
  ]),
  [t('report.averageRating'), survey.average],
  [t('report.satisfied'), survey.share_satisfied],
]

/** levelRows returns the table of the service levels. */
export const levelRows = (sla: Report['sla'], t: TFunction): Cell[][] => [
  [t('report.target'), t('report.met'), t('report.breached')],
  ...targets.map((one) => [
    t(`report.targets.${one}`),
    sla[one].met,
    sla[one].breached,
  ]),
]

/** hourRows returns the table of the hours: a line for each day of the week. */
export const hourRows = (byHour: Report['by_hour'], t: TFunction): Cell[][] => {
  const names = weekdays('long')
  return [
    [t('report.weekday'), ...hours.map((hour) => hourName(hour))],
    ...byHour.map((line, day) => [names[day] ?? '', ...line]),
  ]
}

/** reportCsv returns all figures of a report as CSV, one table below the other. Times are in minutes. */
export function reportCsv(
  report: Report,
  t: TFunction,
  language: string,
): string {
  const group = (name: string, one: string, line: Figures) => [
    name,
    one,
    ...figures(line),
  ]
  return table(
    [
      [t('reportCsv.group'), t('reportCsv.name'), ...figureHead(t)],
      group(
        t('reportCsv.total'),
        `${report.from} – ${report.to}`,
        report.totals,
      ),
      group(
        t('reportCsv.before'),
        `${report.previous.from} – ${report.previous.to}`,
        report.previous.totals,
      ),
      ...Object.values(tablesOf(report, t)).flatMap(({ head, rows }) =>
        rows.map((row) => group(head, row.name, row)),
      ),
      ...report.by_day.map((one) => group(t('report.day'), one.date, one)),
      [],
      ...surveyRows(report.survey, t),
      [],
      ...levelRows(report.sla, t),
      [],
      ...hourRows(report.by_hour, t),
    ],
    language,
  )
}
