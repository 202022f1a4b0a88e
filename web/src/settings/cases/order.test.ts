import { expect, it } from 'vitest'
import { moved, shiftOf, targetOf } from './order'

const spans = [0, 50, 100, 150].map((top) => ({ top, height: 50 }))

it('moves an item', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
})

it('finds the place of a dragged row', () => {
  expect(targetOf(spans, 1, 0)).toBe(1)
  expect(targetOf(spans, 1, 30)).toBe(2)
  expect(targetOf(spans, 1, 500)).toBe(3)
  expect(targetOf(spans, 1, -30)).toBe(0)
  expect(targetOf(spans, 0, -100)).toBe(0)
})

it('lets the rows between give way', () => {
  expect([0, 1, 2, 3].map((at) => shiftOf(spans, 1, 3, at))).toEqual([
    0, 0, -50, -50,
  ])
  expect([0, 1, 2, 3].map((at) => shiftOf(spans, 2, 0, at))).toEqual([
    50, 50, 0, 0,
  ])
})
