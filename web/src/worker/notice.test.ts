import { expect, it } from 'vitest'
import { noticeOf } from './notice'

const id = '01a1dfb4-ddef-7002-b8ea-2f3fbd7ac5b7'

it('reads conversation, title and text', () => {
  expect(
    noticeOf(
      JSON.stringify({ conversation: id, title: 'Ana', text: 'Oi' }),
      'en',
    ),
  ).toEqual({ conversation: id, title: 'Ana', text: 'Oi' })
})

it('shows the title alone if the company hides texts', () => {
  expect(
    noticeOf(JSON.stringify({ conversation: id, title: 'Ana' }), 'en'),
  ).toEqual({ conversation: id, title: 'Ana', text: '' })
})

it.each(['', 'x', 'null', '5', '[]', '{}', '{"title":5,"conversation":{}}'])(
  'shows something for the payload %j',
  (payload) => {
    expect(noticeOf(payload, 'es-AR')).toEqual({
      conversation: null,
      title: 'Recado',
      text: 'Tienes una notificación nueva.',
    })
  },
)

it('opens only conversations', () => {
  expect(
    noticeOf(JSON.stringify({ conversation: '../docs', title: 'Ana' }), 'fr')
      .conversation,
  ).toBeNull()
})
