import { expect, it } from 'vitest'
import type { SavedView } from '../../api/types'
import { queryOf, readSearch } from './view'

it('returns the query of a view', () => {
  expect(queryOf('waiting', {}, [])).toEqual({
    status: 'waiting',
    sort: 'oldest_waiting',
  })
  expect(queryOf('mine', { label: 'l' }, [])).toEqual({
    status: 'open',
    assignee: 'me',
    label: 'l',
  })
  expect(queryOf('waiting', { q: 'ana' }, [])).toEqual({ q: 'ana' })
})

it('shows what is at risk in the order in which it is due', () => {
  expect(queryOf('at_risk', {}, [])).toEqual({
    status: 'open',
    sla: 'at_risk',
    sort: 'sla_due',
  })
  expect(queryOf('at_risk', { sort: 'newest' }, [])).toEqual({
    status: 'open',
    sla: 'at_risk',
  })
  expect(queryOf('mine', readSearch({ sort: 'sla_due' }), [])).toEqual({
    status: 'open',
    assignee: 'me',
    sort: 'sla_due',
  })
})

it('keeps the order of a saved view until the user chooses another', () => {
  const saved = [
    { id: '1', query: { status: 'open', sla: 'breached', sort: 'sla_due' } },
  ] as SavedView[]
  expect(queryOf('view-1', {}, saved)).toEqual(saved[0]?.query)
  expect(queryOf('view-1', { sort: 'newest' }, saved)).toEqual({
    status: 'open',
    sla: 'breached',
  })
})
