import { expect, it } from 'vitest'
import { auditQuery, readAuditSearch } from './search'

it('the last day is included', () => {
  expect(auditQuery({ from: '2026-11-01', to: '2026-11-30' })).toEqual({
    from: '2026-11-01',
    to: '2026-12-01',
  })
})

it('unknown search parameters are dropped', () => {
  expect(
    readAuditSearch({ action: 'key', from: 'yesterday', other: 1 }),
  ).toEqual({ action: 'key' })
})

it('names are not sent', () => {
  expect(
    auditQuery(readAuditSearch({ actor: 'a-1', who: 'Ana', name: 'Bo' })),
  ).toEqual({ actor: 'a-1' })
})
