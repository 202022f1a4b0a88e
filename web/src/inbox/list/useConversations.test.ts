// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { conversation } from '../../../test/fixtures'
import type { ListPage } from '../../api/cache'
import { joinPages, pinnedFirst } from './useConversations'

describe('the list', () => {
  it('contains a conversation once if it moved while a page was loading', () => {
    const [a, b, c] = [
      conversation('a', '3'),
      conversation('b', '2'),
      conversation('c', '1'),
    ]
    const [ba, ac, b1, c1, cab] = [[b, a], [a, c], [b], [c], [c, a, b]].map(
      (data) => ({ data, next_cursor: null }) as ListPage,
    ) as [ListPage, ListPage, ListPage, ListPage, ListPage]
    const join = joinPages()
    expect(join([ba, ac])).toEqual([b, a, c])
    expect(join([ba, c1])).toEqual([b, a, c])
    expect(join([b1, ac])).toEqual([b, a, c])
    expect(join([cab, b1])).toEqual([c, a, b])
    expect(join([cab])).toEqual([c, a, b])
    expect(join([])).toEqual([])
    expect(join([ba, ac])).toEqual([b, a, c])
  })

  it('shows pinned conversations first, without duplicates', () => {
    const [a, b, c] = [
      conversation('a', '3'),
      conversation('b', '2', { pinned: true }),
      conversation('c', '1', { pinned: true }),
    ]
    expect(pinnedFirst([a, b], [b, c]).map((one) => one.id)).toEqual([
      'b',
      'c',
      'a',
    ])
    const rows = [a]
    expect(pinnedFirst(rows, [])).toBe(rows)
  })
})
