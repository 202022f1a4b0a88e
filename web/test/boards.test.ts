import type { InfiniteData } from '@tanstack/react-query'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { cardMatches, putCard, withCard, type CardPage } from '../src/api/cards'
import { keys } from '../src/api/keys'
import type { Card, CardQuery } from '../src/api/types'
import { fromInput, toInput } from '../src/boards/due'
import { fieldsOf, patchOf, rebase } from '../src/boards/fields'
import { setTimeZone } from '../src/ui/format'

const card = (id: string, fields: Partial<Card> = {}): Card => ({
  id, board_id: 'board', stage_id: 'new', title: id, description: null, priority: 'medium', label_ids: [], due_at: null, assignee: null, contact: null, conversation: null, attendance: null, private: false,
  status: 'open', position: id, version: 1, created_at: '2026-11-15T12:00:00.000Z', updated_at: '2026-11-15T12:00:00.000Z', completed_at: null, ...fields,
})
const column = (pages: Card[][], more = false): InfiniteData<CardPage, string | null> => ({
  pages: pages.map((data, index) => ({ data, next_cursor: index < pages.length - 1 || more ? `c${index}` : null })), pageParams: pages.map(() => null),
})
const ids = (data: InfiniteData<CardPage, string | null> | undefined) => data?.pages.map((page) => page.data.map((one) => one.id).join('')).join('|')

describe('a column', () => {
  it('keeps the order of the positions over its pages', () => {
    const loaded = column([[card('b'), card('d')], [card('f')]])
    expect(ids(withCard(loaded, card('e')))).toBe('bd|ef')
    expect(ids(withCard(loaded, card('a')))).toBe('abd|f')
    expect(ids(withCard(loaded, card('g')))).toBe('bd|fg')
    expect(ids(withCard(loaded, card('f', { position: 'c' })))).toBe('bfd|')
    expect(ids(withCard(loaded, card('x'), 'd'))).toBe('bxd|f')
    expect(ids(withCard(column([[card('b')]], true), card('x')))).toBe('b')
  })

  it('holds the cards that its filters let through', () => {
    const query: CardQuery = { stage_id: 'new', status: 'open' }
    expect(cardMatches(card('a'), query, 'me')).toBe(true)
    expect(cardMatches(card('a', { stage_id: 'doing' }), query, 'me')).toBe(false)
    expect(cardMatches(card('a', { status: 'archived' }), query, 'me')).toBe(false)
    expect(cardMatches(card('a', { assignee: 'me' }), { ...query, assignee: 'me' }, 'me')).toBe(true)
    expect(cardMatches(card('a', { assignee: 'ana' }), { ...query, assignee: 'none' }, 'me')).toBe(false)
    expect(cardMatches(card('a'), { ...query, q: 'x' }, 'me')).toBeNull()
  })

  it('moves a card from one to the other and keeps the newer version', () => {
    const client = new QueryClient()
    const [from, to] = [keys.column('board', { stage_id: 'new', status: 'open' }), keys.column('board', { stage_id: 'doing', status: 'open' })]
    client.setQueryData(from, column([[card('a'), card('b')]]))
    client.setQueryData(to, column([[card('c', { stage_id: 'doing' })]]))
    putCard(client, card('b', { stage_id: 'doing', version: 3 }), 'me')
    expect([ids(client.getQueryData(from)), ids(client.getQueryData(to))]).toEqual(['a', 'bc'])
    putCard(client, card('b', { version: 2 }), 'me')
    expect([ids(client.getQueryData(from)), ids(client.getQueryData(to))]).toEqual(['a', 'bc'])
  })
})

describe('a card that two people change', () => {
  const stored = fieldsOf(card('a', { title: 'Cake', description: 'one' }))

  it('takes over fields that only the other changed', () => {
    const theirs = card('a', { title: 'Cake', description: 'one', priority: 'high', version: 2 })
    const { fields, conflicts } = rebase(stored, { ...stored, title: 'Big cake' }, theirs)
    expect(conflicts).toEqual([])
    expect(patchOf(fieldsOf(theirs), fields)).toEqual({ title: 'Big cake' })
    expect(fields.priority).toBe('high')
  })

  it('holds what both linked it to against each other', () => {
    const theirs = card('a', { title: 'Cake', description: 'one', contact: 'bruno', conversation: 'c2', version: 2 })
    const { fields, conflicts } = rebase(stored, { ...stored, conversation: 'c1' }, theirs)
    expect(conflicts).toEqual(['conversation'])
    expect(patchOf(fieldsOf(theirs), fields)).toEqual({ conversation: 'c1' })
  })

  it('asks about fields that both changed', () => {
    const theirs = card('a', { title: 'Small cake', description: 'two', version: 2 })
    const { fields, conflicts } = rebase(stored, { ...stored, title: 'Big cake', description: 'two ' }, theirs)
    expect(conflicts).toEqual(['title'])
    expect(fields.title).toBe('Big cake')
  })
})

it('reads and writes due dates by the clocks of the company', () => {
  setTimeZone('America/New_York')
  expect(toInput('2026-11-21T12:00:00.000Z')).toBe('2026-11-21T07:00')
  expect(fromInput('2026-11-21T07:00')).toBe('2026-11-21T12:00:00.000Z')
  expect(fromInput('2026-03-08T12:00')).toBe('2026-03-08T16:00:00.000Z')
  expect(fromInput('')).toBeNull()
  setTimeZone(undefined)
})
