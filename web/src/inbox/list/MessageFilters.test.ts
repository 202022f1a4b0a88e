// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { dayAfter } from './MessageFilters'

it('a message search includes its last day', () => {
  expect([dayAfter('2026-12-31'), dayAfter('2028-02-28')]).toEqual([
    '2027-01-01',
    '2028-02-29',
  ])
})
