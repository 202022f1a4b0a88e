import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import type { LastMessage, Message } from '../src/api/types'
import { preview } from '../src/contact/preview'
import en from '../src/locales/en.json'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))

const last = (fields: Partial<LastMessage>): LastMessage => ({
  id: 'm', type: 'text', text: null, direction: 'inbound', created_at: '2026-11-15T10:00:00.000Z', status: 'received', file_name: null, duration_seconds: null, ...fields,
})
const line = (message: LastMessage | Message | null) => preview(message, i18next.t)

it('stands for a text without its formatting', () => {
  expect(line(null)).toBe('')
  expect(line(last({ text: '*Bom dia*\n_Ana_' }))).toBe('Bom dia Ana')
})

it('says the kind of a file, how long a recording is, and the name of a document', () => {
  expect(line(last({ type: 'image', file_name: 'a.jpg' }))).toBe('Photo')
  expect(line(last({ type: 'image', file_name: 'a.jpg', text: 'O bolo' }))).toBe('Photo: O bolo')
  expect(line(last({ type: 'audio', file_name: 'a.ogg', duration_seconds: 42.4 }))).toBe('Voice message, 0:42')
  expect(line(last({ type: 'audio', file_name: 'a.ogg' }))).toBe('Voice message')
  expect(line(last({ type: 'document', file_name: 'proposta.pdf' }))).toBe('proposta.pdf')
  expect(line(last({ type: 'document', file_name: 'proposta.pdf', text: 'Segue' }))).toBe('proposta.pdf: Segue')
  expect(line({ type: 'document', text: null, media: { file_name: 'nota.pdf', duration_seconds: null } } as Message)).toBe('nota.pdf')
  expect(line({ type: 'audio', text: null, media: { file_name: 'a.ogg', duration_seconds: 61 } } as Message)).toBe('Voice message, 1:01')
})

it('says that a message was deleted or cannot be shown', () => {
  expect(line(last({}))).toBe('Deleted message')
  expect(line(last({ type: 'unsupported', text: 'raw' }))).toBe('This kind of message cannot be shown.')
})
