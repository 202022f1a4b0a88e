import { expect, it } from 'vitest'
import type { Message, TimelineEntry } from '../../api/types'
import type { Item } from '../composer/outbox'
import { alignOf, atTime, lineAt, threadItems } from './timelineItems'

const entry = (
  id: string,
  at: string,
  client_id: string | null = null,
): TimelineEntry => ({
  kind: 'message',
  id,
  at,
  message: { id, client_id, text: id } as Message,
})
const waiting = (client_id: string): Item => ({
  client_id,
  conversation: 'c',
  kind: 'message',
  body: { client_id },
  created_at: '2026-11-15T10:00:00Z',
  number: 1,
})

it('adds days, the unread separator and pending messages to the thread', () => {
  const entries = [
    entry('a', '2026-11-14T10:00:00Z'),
    entry('b', '2026-11-15T10:00:00Z'),
    entry('c', '2026-11-15T10:01:00Z'),
  ]
  expect(
    threadItems(entries, [waiting('x')], 'c').map((item) => item.kind),
  ).toEqual(['day', 'entry', 'day', 'entry', 'fresh', 'entry', 'pending'])
})

it('opens at a message, or at the first message after a time', () => {
  const items = threadItems(
    [
      entry('a', '2026-11-14T10:00:00.000Z'),
      entry('b', '2026-11-16T10:00:00.000Z'),
      entry('c', '2026-11-16T10:01:00.000Z'),
    ],
    [],
    null,
  )
  const line = (place: string) =>
    items.find((item) => item.key === lineAt(items, place))
  expect(line('b')).toMatchObject({ kind: 'entry', entry: { id: 'b' } })
  expect(alignOf(line('b'))).toBe('center')
  for (const at of ['2026-11-15T03:00:00.000Z', '2026-11-16T03:00:00.000Z'])
    expect(line(atTime(at))).toMatchObject({
      kind: 'day',
      at: '2026-11-16T10:00:00.000Z',
    })
  expect(alignOf(line(atTime('2026-11-15T03:00:00.000Z')))).toBe('start')
  expect(line(atTime('2026-11-16T10:00:30.000Z'))).toMatchObject({
    entry: { id: 'c' },
  })
  expect(lineAt(items, atTime('2026-11-17T03:00:00.000Z'))).toBeNull()
  expect(lineAt(items, 'x')).toBeNull()
})

it('keeps the key of a confirmed message', () => {
  const before = threadItems([], [waiting('x')], null)
  const after = threadItems(
    [entry('a', '2026-11-15T10:00:00Z', 'x')],
    [waiting('x')],
    null,
  )
  expect(
    after.filter((item) => item.kind !== 'day').map((item) => item.key),
  ).toEqual(before.map((item) => item.key))
})
