import { expect, it } from 'vitest'
import { conversation } from '../../../test/fixtures'
import type { Conversation } from '../../api/types'
import { heldOrder } from './useHeld'

it('keeps the order of a list while it is held and counts the changes', () => {
  const [a, b, c] = [
    conversation('a', '3'),
    conversation('b', '2'),
    conversation('c', '1'),
  ]
  const held = heldOrder([a, b], [{ ...b, unread_count: 2 }, a, c])
  expect(held.rows.map((one) => one.id)).toEqual(['a', 'b', 'c'])
  expect(held.rows[1]?.unread_count).toBe(2)
  expect(heldOrder([a, b, c], [c, a, b]).updates).toBe(1)
  expect(heldOrder([a, b], [a, b]).updates).toBe(0)
  expect(heldOrder([b], [a, b]).updates).toBe(1)
  const shown = (before: Conversation[], now: Conversation[]) => {
    const { rows, updates } = heldOrder(before, now)
    return `${rows.map((one) => one.id).join('')} ${updates}`
  }
  const [d, e] = [conversation('d', '0'), conversation('e', '0')]
  expect(shown([a, b, c, d], [a, c, b, d, e])).toBe('abcde 1')
  expect(shown([a, b, c, d], [a, c, d])).toBe('abcd 1')
  expect(shown([a, b, c], [e, a, b, c, d])).toBe('abcd 1')
  expect(shown([a, b, c], [a, b])).toBe('abc 1')
  expect(shown([a, b, c], [b, c, a, d])).toBe('abcd 2')
  expect(shown([], [a, b])).toBe(' 2')
})
