import { expect, it } from 'vitest'
import { fitting } from './fitting'

it('shows all items that fit', () => {
  expect(fitting([50, 50], 100)).toBe(2)
  expect(fitting([], 0)).toBe(0)
})

it('leaves room for the number of the others', () => {
  expect(fitting([50, 50, 50], 100)).toBe(1)
  expect(fitting([50, 50, 50], 122)).toBe(2)
  expect(fitting([50], 40)).toBe(0)
})
