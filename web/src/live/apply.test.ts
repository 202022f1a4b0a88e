// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { keys } from '../api/keys'
import { makeApply } from './apply'

const bia = { id: 'bia', name: 'Bia' }
const caio = { id: 'caio', name: 'Caio' }

/** answering gives who is shown as answering after Bia began and something else came. */
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

it('no longer says that a member is answering who sent or left', () => {
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

it('says it still when another one sent, another conversation is meant, or they view it', () => {
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
