import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import type { LastMessage, Message } from '../api/types'
import { preview } from './preview'
import en from '../locales/en.json'
import es from '../locales/es.json'
import ptBR from '../locales/pt-BR.json'

beforeAll(() =>
  i18next.init({
    lng: 'en',
    resources: {
      en: { translation: en },
      'pt-BR': { translation: ptBR },
      es: { translation: es },
    },
  }),
)

const last = (fields: Partial<LastMessage>): LastMessage => ({
  id: 'm',
  type: 'text',
  text: null,
  direction: 'inbound',
  created_at: '2026-11-15T10:00:00.000Z',
  status: 'received',
  file_name: null,
  duration_seconds: null,
  notice: null,
  ...fields,
})
const line = (message: LastMessage | Message | null) =>
  preview(message, i18next.t)

it('removes formatting', () => {
  expect(line(null)).toBe('')
  expect(line(last({ text: '*Bom dia*\n_Ana_' }))).toBe('Bom dia Ana')
})

it('names the type of a file, the length of a recording or a document', () => {
  expect(line(last({ type: 'image', file_name: 'a.jpg' }))).toBe('Photo')
  expect(
    line(last({ type: 'image', file_name: 'a.jpg', text: 'O bolo' })),
  ).toBe('Photo: O bolo')
  expect(
    line(last({ type: 'audio', file_name: 'a.ogg', duration_seconds: 42.4 })),
  ).toBe('Voice message, 0:42')
  expect(line(last({ type: 'audio', file_name: 'a.ogg' }))).toBe(
    'Voice message',
  )
  expect(line(last({ type: 'document', file_name: 'proposta.pdf' }))).toBe(
    'proposta.pdf',
  )
  expect(
    line(last({ type: 'document', file_name: 'proposta.pdf', text: 'Segue' })),
  ).toBe('proposta.pdf: Segue')
  expect(
    line({
      type: 'document',
      text: null,
      media: { file_name: 'nota.pdf', duration_seconds: null },
    } as Message),
  ).toBe('nota.pdf')
  expect(
    line({
      type: 'audio',
      text: null,
      media: { file_name: 'a.ogg', duration_seconds: 61 },
    } as Message),
  ).toBe('Voice message, 1:01')
})

it('marks deleted and unsupported messages', () => {
  expect(line(last({}))).toBe('Deleted message')
  expect(line(last({ type: 'unsupported', text: 'raw' }))).toBe(
    'Unsupported message. Open it on the phone.',
  )
})

it('translates notices', async () => {
  const said = (code: string, params: Record<string, unknown> = {}) =>
    line(
      last({
        type: 'unsupported',
        text: 'English words',
        notice: { code, params },
      }),
    )
  expect(said('missed_voice_call')).toBe('Missed voice call')
  expect(said('voice_call', { duration_seconds: 90 })).toBe('Voice call, 1:30')
  expect(said('on_phone_only', { kind: 'poll' })).toBe(
    'Poll: This message can only be viewed on the phone.',
  )
  expect(
    said('payment_method', { method: 'credit_card', reference: 'order 7' }),
  ).toBe('Payment method chosen: credit card, order 7')
  expect(said('of_tomorrow')).toBe('English words')
  await i18next.changeLanguage('pt-BR')
  expect(said('missed_voice_call')).toBe('Chamada de voz perdida')
  expect(said('poll')).toBe('Enquete')
  await i18next.changeLanguage('es')
  expect(said('missed_video_call')).toBe('Videollamada perdida')
  await i18next.changeLanguage('en')
})
