import type { TFunction } from 'i18next'
import { expect, it } from 'vitest'
import { amountTicks, average, costRows, readCostSearch } from './costs'

const t = ((key: string, options?: { defaultValue?: string }) =>
  options?.defaultValue ?? key) as TFunction

it('keeps the valid search parameters', () => {
  expect(
    readCostSearch({ from: '2026-11-01', to: 'today', by: 'sector', x: '1' }),
  ).toEqual({ from: '2026-11-01', by: 'sector' })
  expect(readCostSearch({ by: 'weather' })).toEqual({})
})

it('names rows without a department or a person, and categories that it does not know', () => {
  const sums = { total: 1, messages: 2, billable: 1 }
  const report = (row: object) => ({
    currency: 'BRL',
    rows: [{ ...row, ...sums }],
  })
  const name = (row: object, by: 'sector' | 'user' | 'category') =>
    costRows(report(row), by, t)[0]?.name
  expect(name({ sector: null }, 'sector')).toBe('report.noSector')
  expect(name({ user: null }, 'user')).toBe('costs.nobody')
  expect(name({ category: 'group_utility' }, 'category')).toBe('group utility')
})

it('has no totals without prices', () => {
  const row = { origin: 'app' as const, total: 0, messages: 2, billable: 1 }
  const [shown] = costRows({ currency: null, rows: [row] }, 'origin', t)
  expect(shown?.total).toBe(null)
  expect(average({ total: null, billable: 1 })).toBe(null)
  expect(average({ total: 1, billable: 0 })).toBe(null)
  expect(average({ total: 1, billable: 4 })).toBe(0.25)
})

it('chooses round values for the axis', () => {
  expect(amountTicks(3.8)).toEqual([0, 1, 2, 3, 4])
  expect(amountTicks(0.035)).toEqual([0, 0.01, 0.02, 0.03, 0.04])
  expect(amountTicks(5)).toEqual([0, 1, 2, 3, 4, 5])
  expect(amountTicks(1234)).toEqual([0, 500, 1000, 1500])
  expect(amountTicks(0)).toEqual([0, 1])
})
