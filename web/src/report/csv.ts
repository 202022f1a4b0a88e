import type { TFunction } from 'i18next'
import type { Figures, Report, Times } from '../api/types'

type Cell = string | number | null

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
const times = ({
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
const figures = ({
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

/** reportCsv returns all figures of a report as CSV: totals, people, departments and days. Times are in minutes. */
export function reportCsv(
  report: Report,
  t: TFunction,
  language: string,
): string {
  const columns = ['count', 'average', 'median', 'p90'] as const
  const head = (name: string) =>
    columns.map((column) => t(`reportCsv.${column}`, { name }))
  return table(
    [
      [
        t('reportCsv.group'),
        t('reportCsv.name'),
        t('report.opened'),
        t('report.closed'),
        ...head(t('report.firstResponse')),
        ...head(t('report.resolution')),
      ],
      [
        t('reportCsv.total'),
        `${report.from} – ${report.to}`,
        ...figures(report.totals),
      ],
      ...report.by_person.map((one) => [
        t('report.person'),
        one.user?.name ?? t('report.nobody'),
        ...figures(one),
      ]),
      ...report.by_sector.map((one) => [
        t('report.sector'),
        one.sector?.name ?? t('report.noSector'),
        ...figures(one),
      ]),
      ...report.by_day.map((one) => [
        t('report.day'),
        one.date,
        ...figures(one),
      ]),
    ],
    language,
  )
}
