// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { keys } from '../api/keys'
import { makeApply } from './apply'

const bia = { id: 'bia', name: 'Bia' }
const caio = { id: 'caio', name: 'Caio' }

/** answering returns who is shown as replying after Bia started and another event arrived. */
function answering(type: string, data: object): string | undefined {
  const client = new QueryClient()
  const apply = makeApply(client, 'ana')
  apply({
    id: null,
    type: 'typing',
    data: JSON.stringify({ conversation: 'c', user: bia }),
  })
  apply({ id: null, type, data: JSON.stringify(data) })
  return client.getQueryData<{ user: { name: string } } | null>(
    keys.typing('c'),
  )?.user.name
}

it('clears the typing state of a member who sent a message or left', () => {
  expect(
    answering('viewing', { conversation: 'c', users: [caio] }),
  ).toBeUndefined()
  expect(answering('viewing', { conversation: 'c', users: [] })).toBeUndefined()
  expect(
    answering('message.sent', {
      data: {
        conversation: { id: 'c', attendance: null },
        message: { id: 'm', conversation: 'c', sent_by: bia, created_at: '' },
      },
    }),
  ).toBeUndefined()
})

it('keeps the typing state for events of other members or conversations', () => {
  expect(answering('viewing', { conversation: 'c', users: [caio, bia] })).toBe(
    'Bia',
  )
  expect(answering('viewing', { conversation: 'other', users: [] })).toBe('Bia')
  expect(
    answering('message.sent', {
      data: {
        conversation: { id: 'c', attendance: null },
        message: { id: 'm', conversation: 'c', sent_by: caio, created_at: '' },
      },
    }),
  ).toBe('Bia')
})

it('shows a rating in the loaded thread of its case', () => {
  const client = new QueryClient()
  const closed = {
    kind: 'attendance_closed',
    id: 'att',
    at: '1',
    attendance: { id: 'att', conversation: 'c', survey: { status: 'sent' } },
  }
  client.setQueryData(keys.timeline('c', null), {
    pages: [{ data: [closed] }],
    pageParams: [null],
  })
  const survey = { status: 'answered', rating: 4, comment: null }
  makeApply(
    client,
    'ana',
  )({
    id: null,
    type: 'attendance.rated',
    data: JSON.stringify({
      data: {
        conversation: { id: 'c', attendance: null },
        attendance: { ...closed.attendance, survey },
      },
    }),
  })
  expect(client.getQueryData(keys.timeline('c', null))).toMatchObject({
    pages: [{ data: [{ kind: 'attendance_closed', attendance: { survey } }] }],
  })
})
