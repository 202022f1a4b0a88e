// @vitest-environment jsdom
import { expect, it } from 'vitest'
import type { ClosingReason } from '../api/types'
import { fitting } from './closing'

const reason = (
  name: string,
  sector_ids: string[] = [],
  active = true,
): ClosingReason => ({
  id: name,
  name,
  sector_ids,
  active,
  require_note: false,
  position: 0,
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-01T00:00:00Z',
})
const all = [
  reason('Resolved'),
  reason('Sale', ['sales']),
  reason('Refund', ['sales', 'support']),
  reason('Old', [], false),
]
const names = (sectors: (string | null | undefined)[]) =>
  fitting(all, sectors).map((one) => one.name)

it('offers the active reasons for the department of a case', () => {
  expect(names(['sales'])).toEqual(['Resolved', 'Sale', 'Refund'])
  expect(names(['support'])).toEqual(['Resolved', 'Refund'])
  expect(names([null])).toEqual(['Resolved'])
})

it('offers the reasons that fit all of several cases', () => {
  expect(names(['sales', 'support'])).toEqual(['Resolved', 'Refund'])
  expect(names(['sales', null])).toEqual(['Resolved'])
  expect(names(['sales', undefined])).toEqual(['Resolved'])
})
