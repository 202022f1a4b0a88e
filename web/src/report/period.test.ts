import { describe, expect, it } from 'vitest'
import { presets, problemOf, readReportSearch, shift } from './period'

describe('the report', () => {
  it('has periods that end today', () => {
    expect(presets('2026-03-01').map(({ period }) => period.from)).toEqual([
      '2026-03-01',
      '2026-02-23',
      '2026-01-31',
      '2026-03-01',
    ])
    expect(shift('2024-02-28', 2)).toBe('2024-03-01')
  })

  it('rejects periods that the server does not accept', () => {
    expect(problemOf({ from: '2026-02-02', to: '2026-02-01' })).toBe('order')
    expect(problemOf({ from: '2025-01-01', to: '2026-01-01' })).toBe(null)
    expect(problemOf({ from: '2025-01-01', to: '2026-01-02' })).toBe('long')
  })

  it('drops invalid search parameters', () => {
    expect(
      readReportSearch({
        from: '2026-01-01',
        to: 'tomorrow',
        user: '0190f0a0-0000-7000-8000-000000000001',
        sector: 'x',
        more: 1,
      }),
    ).toEqual({
      from: '2026-01-01',
      user: '0190f0a0-0000-7000-8000-000000000001',
    })
  })
})
