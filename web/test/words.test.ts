// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import i18next, { type TFunction } from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../src/api/client'
import { refusal } from '../src/api/refusal'
import { attemptText } from '../src/settings/attempt'
import { channelText } from '../src/settings/channelText'

const languages = ['en', 'pt-BR', 'es'] as const
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const catalogue = (path: string) => JSON.parse(read(`../src/locales/${path}.json`)) as Record<string, Record<string, string>>

beforeAll(async () => {
  const texts = (language: string) => ({ translation: { ...catalogue(language), ...catalogue(`settings/${language}`), ...catalogue(`integrations/${language}`) } })
  await i18next.init({ lng: 'pt-BR', resources: Object.fromEntries(languages.map((language) => [language, texts(language)])), interpolation: { escapeValue: false } })
})

const t: TFunction = ((...args: Parameters<TFunction>) => i18next.t(...args)) as TFunction
const failed = (code: string) => new Failure(409, code, 'The words of the server.', undefined, [], null)

/** The app sends no API key, no malformed JSON, and an idempotency key and a version wherever they are needed. */
const neverMet = ['idempotency_key_invalid', 'idempotency_key_required', 'invalid_json', 'key_expired', 'key_invalid', 'key_revoked', 'method_not_allowed', 'version_required']

describe('a refusal', () => {
  const codes = [...(/export type ErrorCode =([^;]*);/.exec(read('../src/api/schema.d.ts'))?.[1] ?? '').matchAll(/"(\w+)"/g)].map((match) => match[1] ?? '')

  it('has a text in every language for every code that a page can meet', () => {
    expect(codes.length).toBeGreaterThan(30)
    for (const language of languages) {
      const known = catalogue(language).refusal ?? {}
      expect([language, codes.filter((code) => !neverMet.includes(code) && !known[code])]).toEqual([language, []])
    }
  })

  it('is said in the person\'s language, and otherwise in the server\'s words', () => {
    for (const code of codes.filter((one) => !neverMet.includes(one))) expect([code, refusal(failed(code), t)]).not.toEqual([code, 'The words of the server.'])
    expect(refusal(failed('a_code_of_tomorrow'), t)).toBe('The words of the server.')
    expect(refusal(new Failure(400, 'invalid_request', '', undefined, [{ field: 'body.name', message: 'must have at most 120 characters' }], null), t)).toBe('No máximo 120 caracteres.')
  })
})

describe('what WhatsApp said', () => {
  const source = read('../../internal/channels/whatsapp/codes.go')
  const constants = new Map([...source.matchAll(/^\t(\w+)\s+= "(.*)"$/gm)].map(([, name, text]) => [name ?? '', text ?? '']))
  const meanings = [...source.matchAll(/\{"(\w+)", (?:"((?:[^"\\]|\\.)*)"|(\w+)), (\w+),/g)].map(([, code = '', text, name, kind]) => ({ code, text: text ?? constants.get(name ?? '') ?? '', kind }))

  it('about a message has a text in every language', () => {
    expect(meanings.length).toBeGreaterThan(50)
    for (const language of languages) {
      const known = catalogue(language).failure ?? {}
      expect([language, meanings.filter(({ code }) => !known[code]).map(({ code }) => code)]).toEqual([language, []])
    }
  })

  it('about a number is said in the person\'s language', () => {
    const account = [...read('../../internal/channels/whatsapp/parse_account.go').matchAll(/in\.Text = (?:true, )?"([^"]+)"/g)].map((match) => (match[1] ?? '').replace(/([^.])$/, '$1.'))
    const lost = /reasonLostKey = "(.+)"/.exec(read('../../internal/secretkey/secretkey.go'))?.[1] ?? ''
    const all = [...meanings.filter(({ kind }) => kind === 'operator').map(({ text }) => text), ...account, lost, 'The team disconnected it.']
    expect(account.length).toBeGreaterThan(5)
    for (const text of all) expect([text, channelText(text, t)]).not.toEqual([text, undefined])
  })

  it('is said with its parts', () => {
    const silence = 'Nothing has arrived from WhatsApp for 3 hours; the longest silence of the last two weeks was 2 days. Test the channel, and look at its callback address at Meta.'
    expect(channelText(silence, t)).toBe('Nada chega do WhatsApp há 3 horas; o maior silêncio das últimas duas semanas foi de 2 dias. Teste o número e confira o endereço de callback na Meta.')
    expect(channelText('WhatsApp does not send callbacks for this number to this server yet. WhatsApp cannot be reached at the moment. WhatsApp says: try later.', t)).toBe(
      'O WhatsApp ainda não envia os callbacks deste número para este servidor. Não foi possível falar com o WhatsApp agora. O WhatsApp diz: try later.',
    )
    expect(channelText('Meta disabled this WhatsApp account (May 3, 2026).', t)).toBe('A Meta desativou esta conta do WhatsApp (May 3, 2026).')
    expect(channelText('Something else.', t)).toBeUndefined()
  })
})

it('an attempt at a webhook that failed is said in the person\'s language', () => {
  const attempt = (error: string | null, status_code: number | null = null) => attemptText({ at: '2026-11-15T12:00:00Z', duration_ms: 40, error, status_code }, t)
  const kinds = [...read('../../internal/guard/error.go').matchAll(/^\tKind\w+\s+Kind = "(.+)"$/gm)].map((match) => match[1] ?? '')
  expect(kinds.length).toBeGreaterThan(5)
  for (const kind of kinds) expect([kind, attempt(`${kind}: more of it`)]).not.toEqual([kind, `${kind}: more of it · 40 ms`])
  expect(attempt('answered 500, not 2xx', 500)).toBe('Resposta 500 · 40 ms')
  expect(attempt('answered 302: redirects are not followed', 302)).toBe('Resposta 302: redirecionamentos não são seguidos · 40 ms')
  expect(attempt(null, 204)).toBe('Resposta 204 · 40 ms')
})
