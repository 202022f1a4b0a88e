// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { rangeAt } from './useVisibleRows'

it('renders the visible rows and some around them', () => {
  const start = rangeAt(0, 500, 100)
  expect(start).toEqual({ first: 0, last: 10 })
  expect(rangeAt(300, 500, 100, start)).toBe(start)
  expect(rangeAt(400, 500, 100, start)).toEqual({ first: 0, last: 14 })
  expect(rangeAt(100_050, 500, 100, start)).toEqual({ first: 995, last: 1010 })
  expect(rangeAt(0, 500, 100, { first: 995, last: 1010 })).toEqual(start)
})
