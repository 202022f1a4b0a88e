import { expect, it } from 'vitest'
import type { Message, TimelineEntry } from '../src/api/types'
import type { Item } from '../src/inbox/outbox'
import { threadItems } from '../src/inbox/timelineItems'
import { typedSoFar } from '../src/ui/typedPhone'

const entry = (id: string, at: string, client_id: string | null = null): TimelineEntry => ({ kind: 'message', id, at, message: { id, client_id, text: id } as Message })
const waiting = (client_id: string): Item => ({ client_id, conversation: 'c', kind: 'message', body: { client_id }, created_at: '2026-11-15T10:00:00Z', number: 1 })

it('puts days, the first unread message and what is to be sent into the thread', () => {
  const entries = [entry('a', '2026-11-14T10:00:00Z'), entry('b', '2026-11-15T10:00:00Z'), entry('c', '2026-11-15T10:01:00Z')]
  expect(threadItems(entries, [waiting('x')], 'c').map((item) => item.kind)).toEqual(['day', 'entry', 'day', 'entry', 'fresh', 'entry', 'pending'])
})

it('keeps the key of a message that the server confirmed', () => {
  const before = threadItems([], [waiting('x')], null)
  const after = threadItems([entry('a', '2026-11-15T10:00:00Z', 'x')], [waiting('x')], null)
  expect(after.filter((item) => item.kind !== 'day').map((item) => item.key)).toEqual(before.map((item) => item.key))
})

it('groups the digits of a phone while it is typed', () => {
  const typed = [...'11912345678'].reduce((text, digit) => typedSoFar(text + digit, text), '')
  expect(typed).toBe('+55 11 91234-5678')
  expect(typedSoFar('+1 415 555 01', '+1 415 555 0')).toBe('+141555501')
  expect(typedSoFar('Ana', 'An')).toBe('Ana')
})
