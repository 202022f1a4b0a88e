import { expect, it } from 'vitest'
import { setTimeZone } from '../ui/format'
import { fromInput, toInput } from './due'

it("converts due dates in the company's time zone", () => {
  setTimeZone('America/New_York')
  expect(toInput('2026-11-21T12:00:00.000Z')).toBe('2026-11-21T07:00')
  expect(fromInput('2026-11-21T07:00')).toBe('2026-11-21T12:00:00.000Z')
  expect(fromInput('2026-03-08T12:00')).toBe('2026-03-08T16:00:00.000Z')
  expect(fromInput('')).toBeNull()
  setTimeZone(undefined)
})
