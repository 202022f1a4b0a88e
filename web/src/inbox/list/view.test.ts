import { expect, it } from 'vitest'
import { queryOf } from './view'

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
