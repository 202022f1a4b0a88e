import { QueryClient, type InfiniteData } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { card } from '../../test/fixtures'
import { cardMatches, putCard, withCard, type CardPage } from './cards'
import { keys } from './keys'
import type { Card, CardQuery } from './types'

const column = (
  pages: Card[][],
  more = false,
): InfiniteData<CardPage, string | null> => ({
  pages: pages.map((data, index) => ({
    data,
    next_cursor: index < pages.length - 1 || more ? `c${index}` : null,
  })),
  pageParams: pages.map(() => null),
})
const ids = (data: InfiniteData<CardPage, string | null> | undefined) =>
  data?.pages.map((page) => page.data.map((one) => one.id).join('')).join('|')

describe('a column', () => {
  it('keeps cards ordered by position across pages', () => {
    const loaded = column([[card('b'), card('d')], [card('f')]])
    expect(ids(withCard(loaded, card('e')))).toBe('bd|ef')
    expect(ids(withCard(loaded, card('a')))).toBe('abd|f')
    expect(ids(withCard(loaded, card('g')))).toBe('bd|fg')
    expect(ids(withCard(loaded, card('f', { position: 'c' })))).toBe('bfd|')
    expect(ids(withCard(loaded, card('x'), 'd'))).toBe('bxd|f')
    expect(ids(withCard(column([[card('b')]], true), card('x')))).toBe('b')
  })

  it('contains the cards that match its filters', () => {
    const query: CardQuery = { stage_id: 'new', status: 'open' }
    expect(cardMatches(card('a'), query, 'me')).toBe(true)
    expect(cardMatches(card('a', { stage_id: 'doing' }), query, 'me')).toBe(
      false,
    )
    expect(cardMatches(card('a', { status: 'archived' }), query, 'me')).toBe(
      false,
    )
    expect(
      cardMatches(
        card('a', { assignee: 'me' }),
        { ...query, assignee: 'me' },
        'me',
      ),
    ).toBe(true)
    expect(
      cardMatches(
        card('a', { assignee: 'ana' }),
        { ...query, assignee: 'none' },
        'me',
      ),
    ).toBe(false)
    expect(cardMatches(card('a'), { ...query, q: 'x' }, 'me')).toBeNull()
  })

  it('moves a card to another column and keeps the newer version', () => {
    const client = new QueryClient()
    const [from, to] = [
      keys.column('board', { stage_id: 'new', status: 'open' }),
      keys.column('board', { stage_id: 'doing', status: 'open' }),
    ]
    client.setQueryData(from, column([[card('a'), card('b')]]))
    client.setQueryData(to, column([[card('c', { stage_id: 'doing' })]]))
    putCard(client, card('b', { stage_id: 'doing', version: 3 }), 'me')
    expect([
      ids(client.getQueryData(from)),
      ids(client.getQueryData(to)),
    ]).toEqual(['a', 'bc'])
    putCard(client, card('b', { version: 2 }), 'me')
    expect([
      ids(client.getQueryData(from)),
      ids(client.getQueryData(to)),
    ]).toEqual(['a', 'bc'])
  })
})
