import { expect, it } from 'vitest'
import type { DistributionStatus } from '../api/types'
import { nextReason } from './nextReason'

it('explains who gets the next case', () => {
  const status = (part: object): DistributionStatus => ({
    sector: { id: '1', name: 'Vendas' },
    distribution: {
      mode: 'round_robin',
      capacity: 10,
      prefer_last: false,
      return_after_minutes: null,
    },
    open: true,
    waiting: 0,
    oldest_waiting_at: null,
    next: null,
    members: [],
    ...part,
  })
  const member = (reason: string) => ({
    user: { id: '2', name: 'Ana' },
    presence: 'online',
    open_attendances: 0,
    capacity: 10,
    received_at: null,
    reason,
  })
  expect(nextReason(status({}))).toBe('empty')
  expect(nextReason(status({ members: [member('offline')] }))).toBe(
    'nobodyOnline',
  )
  expect(
    nextReason(status({ members: [member('offline'), member('full')] })),
  ).toBe('allFull')
  expect(
    nextReason(
      status({ members: [member('next')], next: { id: '2', name: 'Ana' } }),
    ),
  ).toBe('round_robin')
  expect(nextReason(status({ open: false }))).toBe('closed')
  expect(
    nextReason(
      status({ distribution: { ...status({}).distribution, mode: 'manual' } }),
    ),
  ).toBe('manual')
})
