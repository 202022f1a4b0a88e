import { expect, it } from 'vitest'
import { assign, mappingOf } from './mapping'

const columns = [
  { index: 0, header: 'Nome', field: 'name' },
  { index: 1, header: 'Cidade', field: 'city' },
  { index: 2, header: 'Sobrenome', field: null },
]

it('sends a column nowhere', () => {
  expect(assign(mappingOf(columns), 0, null)).toEqual({
    0: null,
    1: 'city',
    2: null,
  })
})

it('takes a field from the column that had it', () => {
  expect(assign(mappingOf(columns), 2, 'city')).toEqual({
    0: 'name',
    1: null,
    2: 'city',
  })
})

it('joins several columns to a name', () => {
  expect(assign(mappingOf(columns), 2, 'name')).toEqual({
    0: 'name',
    1: 'city',
    2: 'name',
  })
})
