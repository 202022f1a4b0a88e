import { expect, it } from 'vitest'
import type { Attendance, Message, TimelineEntry } from '../../api/types'
import { atTime } from '../../contact/place'
import type { Item } from '../composer/outbox'
import { alignOf, inOrder, isTurn, lineAt, threadItems } from './timelineItems'

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

it('keeps held messages at the end, after everything that came later', () => {
  const held = entry('h', '2026-11-14T10:00:00Z', 'own')
  if (held.kind === 'message') held.message.status = 'held'
  const entries = [
    entry('a', '2026-11-14T09:00:00Z'),
    held,
    entry('b', '2026-11-15T10:00:00Z'),
  ]
  const keys = (all: TimelineEntry[]) =>
    threadItems(all, [waiting('x')], null).map((item) => item.key)
  expect(keys(entries)).toEqual([
    'day 2026-11-14 a',
    'message a',
    'day 2026-11-15 b',
    'message b',
    'message own',
    'message x',
  ])
  // The customer's message that sends it comes after it, before and after its status changes.
  const answer = entry('c', '2026-11-15T11:00:00Z')
  if (answer.kind === 'message') answer.message.direction = 'inbound'
  expect(keys([...entries, answer]).slice(-3)).toEqual([
    'message own',
    'message c',
    'message x',
  ])
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

const picture = (id: string, minute: number, part: Partial<Message> = {}) => {
  const at = `2026-11-15T10:${String(minute).padStart(2, '0')}:00Z`
  const message = {
    id,
    type: 'image',
    media: { id },
    direction: 'inbound',
    client_id: null,
    created_at: at,
    ...part,
  } as Message
  return { kind: 'message', id, at, message } satisfies TimelineEntry
}
const opened = (
  id: string,
  at: string,
  opened_by: 'customer' | 'team' = 'customer',
): TimelineEntry => ({
  kind: 'attendance_opened',
  id,
  at,
  attendance: { opened_by } as Attendance,
})
const closed = (id: string, at: string): TimelineEntry => ({
  kind: 'attendance_closed',
  id,
  at,
  attendance: {} as Attendance,
})
const assigned = (id: string, at: string): TimelineEntry =>
  ({ kind: 'assignment', id, at, assignment: {} }) as TimelineEntry

it('shows pictures of one sender within a few minutes as an album', () => {
  const shape = (entries: TimelineEntry[], separator: string | null = null) =>
    threadItems(entries, [], separator).flatMap((item) =>
      item.kind === 'day'
        ? []
        : [item.kind === 'album' ? item.messages.length : item.kind],
    )
  const row = [picture('a', 0), picture('b', 1), picture('c', 5)]
  expect(shape(row)).toEqual([3])
  expect(shape(row, 'b')).toEqual(['entry', 'fresh', 2])
  expect(shape([picture('a', 0), picture('b', 9)])).toEqual(['entry', 'entry'])
  for (const part of [
    { text: 'Olha' },
    { direction: 'outbound' as const },
    { type: 'audio' as const },
    { status: 'failed' as const },
    { reply_to_external_id: 'x' },
  ])
    expect(shape([picture('a', 0), picture('b', 1, part)])).toEqual([
      'entry',
      'entry',
    ])
  const items = threadItems(row, [], null)
  expect(lineAt(items, 'c')).toBe('message a')
  expect(alignOf(items[1])).toBe('center')
})

it('shows the opening of a case before the message that opened it', () => {
  const ids = (entries: TimelineEntry[]) =>
    inOrder(entries).map((one) => one.id)
  const oi = picture('oi', 0)
  const at = '2026-11-15T10:00:00Z'
  expect(ids([oi, assigned('auto', at), opened('case', at)])).toEqual([
    'case',
    'oi',
    'auto',
  ])
  expect(ids([oi, opened('case', at, 'team')])).toEqual(['oi', 'case'])
  expect(
    ids([
      picture('oi', 0, { direction: 'outbound' }),
      opened('case', at, 'team'),
    ]),
  ).toEqual(['case', 'oi'])
  expect(
    ids([
      oi,
      assigned('later', '2026-11-15T10:03:00Z'),
      closed('done', '2026-11-15T10:02:00Z'),
      assigned('first', '2026-11-15T10:01:00Z'),
    ]),
  ).toEqual(['oi', 'first', 'done', 'later'])
})

it('collapses neighbouring events; a closing keeps its own line', () => {
  const at = (minute: number) => `2026-11-15T10:0${minute}:00Z`
  const items = threadItems(
    [
      picture('a', 0),
      assigned('1', at(1)),
      assigned('2', at(2)),
      assigned('3', at(3)),
      closed('4', at(4)),
      assigned('5', at(5)),
    ],
    [],
    null,
  )
  expect(
    items.map((item) =>
      item.kind === 'events' ? item.entries.length : item.kind,
    ),
  ).toEqual(['day', 'entry', 3, 'entry', 'entry'])
  expect(lineAt(items, '2')).toBe('assignment 1')
})

it('recognises where the other side speaks', () => {
  const [, a, b] = threadItems(
    [
      picture('a', 0, { text: 'x' }),
      picture('b', 1, { direction: 'outbound' }),
    ],
    [],
    null,
  )
  expect(b && isTurn(a, b)).toBe(true)
  expect(a && isTurn(a, a)).toBe(false)
})
