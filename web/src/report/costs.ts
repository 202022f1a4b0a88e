import type { TFunction } from 'i18next'
import type { CostReport } from '../api/types'
import { categoryName } from '../ui/priceCategory'
import { dayName } from './figures'
import { days, type Period } from './period'

/** breakdowns lists what a cost report can be broken down by. */
export const breakdowns = [
  'day',
  'channel',
  'sector',
  'user',
  'category',
  'origin',
] as const
export type Breakdown = (typeof breakdowns)[number]

/** CostSearch is the search part of the URL of the cost report. */
export type CostSearch = Partial<Period> & { by?: Breakdown }

/** readCostSearch returns the valid search parameters and drops the others. */
export function readCostSearch(search: Record<string, unknown>): CostSearch {
  const by = breakdowns.find((one) => one === search.by)
  return { ...days(search), ...(by ? { by } : {}) }
}

/** CostRow is a row of the cost report with its name. Without prices it has no total. */
export type CostRow = {
  key: string
  name: string
  total: number | null
  messages: number
  billable: number
}

const originName = (origin: string, t: TFunction) =>
  t(`costs.origin.${origin}`, { defaultValue: origin })

type ReportRow = CostReport['rows'][number]

function nameOf(
  row: ReportRow,
  by: Breakdown,
  t: TFunction,
): { key: string; name: string } {
  switch (by) {
    case 'day':
      return { key: row.date ?? '', name: dayName(row.date ?? '', 'long') }
    case 'channel':
      return { key: row.channel?.id ?? '', name: row.channel?.name ?? '' }
    case 'sector':
      return {
        key: row.sector?.id ?? '',
        name: row.sector?.name ?? t('report.noSector'),
      }
    case 'user':
      return {
        key: row.user?.id ?? '',
        name: row.user?.name ?? t('costs.nobody'),
      }
    case 'category':
      return {
        key: row.category ?? '',
        name: categoryName(row.category ?? '', t),
      }
    case 'origin':
      return { key: row.origin ?? '', name: originName(row.origin ?? '', t) }
  }
}

/** costRows returns the rows of a report with their names. */
export const costRows = (
  report: Pick<CostReport, 'currency' | 'rows'>,
  by: Breakdown,
  t: TFunction,
): CostRow[] =>
  report.rows.map((row) => ({
    ...nameOf(row, by, t),
    total: report.currency ? row.total : null,
    messages: row.messages,
    billable: row.billable,
  }))

/** average returns what a billable message cost, or null if there is none. */
export const average = ({
  total,
  billable,
}: Pick<CostRow, 'total' | 'billable'>) =>
  total === null || billable === 0 ? null : total / billable

/** amountTicks returns at most six round values for the axis of a chart, from zero to at least the largest amount. */
export function amountTicks(largest: number): number[] {
  if (largest <= 0) return [0, 1]
  const unit = 10 ** Math.floor(Math.log10(largest / 5))
  const step =
    [1, 2, 5, 10].map((n) => n * unit).find((one) => largest <= 5 * one) ??
    10 * unit
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) =>
    Number((index * step).toPrecision(6)),
  )
}
