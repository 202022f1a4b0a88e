// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { caseHint } from './useCaseHint'

it('says what a message to a closed case does', () => {
  const now = Date.parse('2026-11-17T12:00:00Z')
  const rules = { enabled: true, grace_minutes: 10 }
  const closed = (closed_at: string | null) => ({ closed_at })
  expect(caseHint(closed('2026-11-17T11:50:01Z'), rules, now)).toBe(
    'caseJustClosed',
  )
  expect(caseHint(closed('2026-11-17T11:50:00Z'), rules, now)).toBe(
    'caseClosed',
  )
  expect(
    caseHint(
      closed('2026-11-17T11:59:59Z'),
      { ...rules, grace_minutes: 0 },
      now,
    ),
  ).toBe('caseClosed')
  expect(caseHint(undefined, rules, now)).toBeNull() // there never was a case
  expect(caseHint(closed(null), rules, now)).toBeNull() // it is about to be closed
  expect(
    caseHint(closed('2026-11-01T12:00:00Z'), { ...rules, enabled: false }, now),
  ).toBeNull()
})
