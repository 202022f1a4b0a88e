import { describe, expect, it } from 'vitest'
import { caseQuery, readCaseSearch, worst } from './cases'

const id = '0190f0a0-0000-7000-8000-000000000001'

describe('a list of cases', () => {
  it('drops invalid search parameters', () => {
    expect(
      readCaseSearch({
        on: 'closed',
        from: '2026-11-01',
        to: 'tomorrow',
        user: 'none',
        sector: id,
        channel: 'none',
        label: 'x',
        reason: id,
        rating: 5, // the router parses numbers
        survey: 'skipped',
        sla: 'late',
      }),
    ).toEqual({
      on: 'closed',
      from: '2026-11-01',
      user: 'none',
      sector: id,
      reason: id,
      rating: '5',
      survey: 'skipped',
    })
  })

  it('includes the last day', () => {
    expect(
      caseQuery({ on: 'opened', from: '2026-11-01', to: '2026-11-30' }),
    ).toEqual({ on: 'opened', from: '2026-11-01', to: '2026-12-01' })
  })

  it('shows the worst state of the targets', () => {
    const target = (state: 'pending' | 'met' | 'warned' | 'breached') => ({
      due_at: '2026-11-01T00:00:00Z',
      met_at: null,
      state,
    })
    const policy = { id, name: 'Standard' }
    expect(worst(null)).toBe(null)
    expect(worst({ policy, first: null, next: null, resolution: null })).toBe(
      null,
    )
    expect(
      worst({
        policy,
        first: target('met'),
        next: null,
        resolution: target('warned'),
      }),
    ).toBe('warned')
  })
})
