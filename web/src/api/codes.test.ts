// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { catalogue, languages, loadTexts, t } from '../../test/texts'
import { Failure } from './client'
import codes from './codes.json'
import { reasonText } from './codes'
import { problemsOf, refusal } from './refusal'

beforeAll(() => loadTexts('pt-BR'))

/** The catalogue file and key of each group of codes. */
const groups = {
  attempts: ['integrations/', 'attempt'],
  causes: ['', 'cause'],
  channel: ['settings/', 'channelText'],
  errors: ['', 'refusal'],
  failures: ['', 'failure'],
  fields: ['', 'wrong'],
  notices: ['', 'notice'],
} as const

describe('server codes', () => {
  it('have a text in every language', () => {
    for (const [group, [part, key]] of Object.entries(groups))
      for (const language of languages) {
        const known = catalogue(`${part}${language}`)[key] ?? {}
        const missing = codes[group as keyof typeof groups].filter(
          (code) => !known[code],
        )
        expect([group, language, missing]).toEqual([group, language, []])
      }
  })

  it('replace matching of English sentences', () => {
    const sources = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
        .map((name) => readFileSync(join(folder, name), 'utf8'))
    const found = sources(join(import.meta.dirname, '..')).filter((code) =>
      /\/\^(must|there is|is the|not sent)/.test(code),
    )
    expect(found).toEqual([])
  })
})

const detail = (
  field: string,
  code: string,
  params: Record<string, unknown> = {},
) => ({ field, code, params, message: 'says the server' })

const refused = (
  code: string,
  details: ReturnType<typeof detail>[] = [],
  params: Record<string, unknown> = {},
) =>
  new Failure(
    400,
    code,
    'The words of the server.',
    undefined,
    details,
    null,
    params,
  )

describe('an error', () => {
  it("is shown in the user's language, falling back to the server's message", () => {
    expect(refusal(refused('a_code_of_tomorrow'), t)).toBe(
      'The words of the server.',
    )
    expect(
      refusal(
        refused('invalid_request', [
          detail('body.name', 'too_long', { max: 1200 }),
        ]),
        t,
      ),
    ).toBe('No máximo 1.200 caracteres.')
    expect(
      refusal(
        refused('invalid_request', [detail('body.name', 'of_tomorrow')]),
        t,
      ),
    ).toBe('Says the server.')
    expect(
      refusal(
        refused('service_window_closed', [], { reason: 'never_wrote' }),
        t,
      ),
    ).toBe(catalogue('pt-BR').refusal?.service_window_closed_never_wrote)
  })

  it("includes WhatsApp's reason", () => {
    const texts = catalogue('settings/pt-BR').channelText
    const params = { cause: 'token_rejected', provider_message: 'Expired' }
    expect(refusal(refused('channel_disconnected', [], params), t)).toContain(
      texts?.token_rejected,
    )
    expect(refusal(refused('channel_disconnected', [], params), t)).toContain(
      'Expired',
    )
    expect(
      reasonText(
        'silent',
        { silent_seconds: 10_800, longest_seconds: 259_200 },
        t,
      ),
    ).toContain('3 horas')
    expect(reasonText('of_tomorrow', {}, t)).toBe('')
  })

  it('appears at the form field it belongs to, otherwise below the form', () => {
    expect(
      problemsOf(
        refused('invalid_request', [
          detail('body.email', 'malformed', { format: 'email' }),
        ]),
        t,
        { fields: ['email'] },
      ).fields.email,
    ).toBe(catalogue('pt-BR').wrong?.malformed_email)
    expect(
      problemsOf(
        refused('invalid_request', [detail('path.id', 'only_viewer')]),
        t,
        { fields: ['name'] },
      ).other,
    ).toBe(catalogue('pt-BR').wrong?.only_viewer)
    expect(
      problemsOf(refused('name_taken'), t, {
        fields: ['email'],
        taken: 'email',
      }).fields.email,
    ).toBe(catalogue('pt-BR').wrong?.emailTaken)
    expect(
      problemsOf(
        refused('invalid_request', [detail('body.name', 'duplicate')]),
        t,
        { fields: ['name'], words: () => 'Own words.' },
      ).fields.name,
    ).toBe('Own words.')
  })
})
