import { expect, it } from 'vitest'
import type { Notification } from '../api/types'
import { grouped } from './notificationGroups'

const told = (
  id: string,
  kind: Notification['kind'],
  conversation: string | null,
  read_at: string | null = null,
): Notification => ({
  id,
  kind,
  by: null,
  conversation:
    conversation === null ? null : { id: conversation, name: conversation },
  created_at: '2026-11-17T12:00:00Z',
  entry: null,
  read_at,
})

it('puts the notifications of a conversation into one line, except mentions, failures and service levels', () => {
  const lines = grouped([
    told('9', 'sla_warning', 'lia'),
    told('8', 'sla_breached', 'lia'),
    told('7', 'sla_warning', 'lia'),
    told('6', 'assigned', 'lia'),
    told('5', 'mentioned', 'lia'),
    told('4', 'waiting', 'rafael'),
    told('3', 'message_failed', 'lia'),
    told('2', 'mentioned', 'lia'),
    told('1', 'waiting', 'lia', '2026-11-17T12:01:00Z'),
    told('0', 'message_failed', 'lia'),
  ])
  expect(lines.map(({ ids }) => ids)).toEqual([
    ['9', '8', '7'],
    ['6', '1'],
    ['5'],
    ['4'],
    ['3', '0'],
    ['2'],
  ])
  expect(lines[0]?.newest.kind).toBe('sla_breached')
  expect(lines[1]?.unread).toEqual(['6'])
})

it('leaves those without a conversation alone', () => {
  const lines = grouped([
    told('3', 'budget_warning', null),
    told('2', 'waiting', 'lia'),
    told('1', 'budget_warning', null, '2026-10-17T12:00:00Z'),
  ])
  expect(lines.map(({ ids }) => ids)).toEqual([['3'], ['2'], ['1']])
})
