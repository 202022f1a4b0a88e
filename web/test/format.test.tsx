// @vitest-environment jsdom
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, it } from 'vitest'
import { cannedAt, gapIn } from '../src/inbox/canned'
import { presets } from '../src/inbox/SnoozeDialog'
import { typedPhone } from '../src/ui/typedPhone'
import { initials } from '../src/ui/Avatar'
import { clock, day, dayKey, duration, fileSize, instant, localTime, phone, position, setTimeZone } from '../src/ui/format'
import { preferredLanguage } from '../src/ui/i18n'
import { findZones } from '../src/ui/TimezoneSelect'
import { plainText, RichText } from '../src/ui/RichText'

beforeAll(async () => {
  await i18next.init({ lng: 'en', resources: {} })
  setTimeZone('America/Sao_Paulo')
})

const html = (text: string) => renderToStaticMarkup(<RichText text={text} />)

describe('formatting', () => {
  it('writes times in the time zone of the company', () => {
    expect(clock('2026-11-15T12:41:00.000Z')).toBe('09:41')
    expect(dayKey('2026-11-15T02:00:00.000Z')).toBe('2026-11-14')
    expect(day('2026-11-15T02:00:00.000Z', new Date('2026-11-15T12:00:00.000Z'))).toBe('Yesterday')
  })

  it('reads local times by the clocks of the company, also where they change', () => {
    expect(localTime(new Date('2026-11-15T12:41:00.000Z'))).toBe('2026-11-15T09:41')
    expect(instant('2026-11-15T09:41').toISOString()).toBe('2026-11-15T12:41:00.000Z')
    expect(presets(new Date('2026-11-15T02:30:00.000Z')).map(({ id, at }) => `${id} ${localTime(at)}`)).toEqual(['hour 2026-11-15T00:30', 'tomorrow 2026-11-15T08:00', 'monday 2026-11-16T08:00'])
    setTimeZone('America/New_York')
    expect(instant('2026-11-01T00:30').toISOString()).toBe('2026-11-01T04:30:00.000Z')
    expect(instant('2026-11-01T03:00').toISOString()).toBe('2026-11-01T08:00:00.000Z')
    setTimeZone('America/Sao_Paulo')
  })

  it('writes durations, positions and sizes', () => {
    expect([59, 480, 7500, 200_000].map(duration)).toEqual(['0 min', '8 min', '2 h 5 min', '2 d'])
    expect(position(42)).toBe('0:42')
    expect(fileSize(2 * 1024 * 1024)).toBe('2 MB')
    expect(phone('+5511912345678')).toBe('+55 11 91234-5678')
  })

  it('reads phones as people type them', () => {
    expect(typedPhone('(11) 91234-5678')).toBe('+5511912345678')
    expect(typedPhone('+351 912 345 678')).toBe('+351912345678')
    expect(typedPhone('Lia')).toBeNull()
  })

  it('finds initials', () => {
    expect(['Lia Monteiro', 'João', '🎉', 'Mercado Bom Preço'].map(initials)).toEqual(['LM', 'J', '#', 'MP'])
  })

  it('finds the canned reply and its gaps', () => {
    expect(cannedAt('oi /ho', 6)).toEqual({ from: 3, to: 6, text: 'ho' })
    expect(cannedAt('http://x', 8)).toBeNull()
    expect(gapIn('a {{contact.name}} b')).toEqual({ from: 2, to: 18 })
  })

  it('finds a time zone with accents and spaces, and has the current one first', () => {
    const options = ['Africa/Abidjan', 'America/Sao_Paulo', 'America/Porto_Velho', 'Europe/London'].map((zone) => ({ value: zone, label: zone, disabled: false }))
    const find = (search: string) => findZones('Europe/London')({ options, search, limit: 2 }).map((one) => ('value' in one ? one.value : ''))
    expect(['São Paulo', 'sao_paulo', 'america/sao paulo'].map(find)).toEqual([['America/Sao_Paulo'], ['America/Sao_Paulo'], ['America/Sao_Paulo']])
    expect(find('')).toEqual(['Europe/London', 'Africa/Abidjan'])
  })

  it('takes the language of the browser', () => {
    expect(preferredLanguage(null, ['es-AR'])).toBe('es')
    expect(preferredLanguage(null, ['de'])).toBe('pt-BR')
    expect(preferredLanguage('en', ['pt'])).toBe('en')
  })
})

describe('texts of customers', () => {
  it('are text, never HTML', () => {
    expect(html('<img src=x onerror=alert(1)>')).toBe('&lt;img src=x onerror=alert(1)&gt;')
  })

  it('show the marks of WhatsApp as elements', () => {
    expect(html('*a* _b_ ~c~ `d`')).toBe('<strong>a</strong> <em>b</em> <s>c</s> <code>d</code>')
    expect(html('2*3*4 snake_case_name')).toBe('2*3*4 snake_case_name')
    expect(plainText('*Ana:*\nOi')).toBe('Ana: Oi')
  })

  it('may have marks within marks, blocks of code and signs that mark nothing', () => {
    expect(html('*a _b_ c*')).toBe('<strong>a <em>b</em> c</strong>')
    expect(html('```*x*\ny```!')).toBe('<code>*x*\ny</code>!')
    expect(html('* a* *b *c* `` ` ```d')).toBe('* a* *b <strong>c</strong> `` ` ```d')
    expect(html('*https://example.com/a* _b_')).toContain('</a></strong> <em>b</em>')
    expect(html('https://example.com/_a_ *b*')).toContain('/_a_</a> <strong>b</strong>')
    expect(plainText('*a _b_* https://example.com/_c_')).toBe('a b https://example.com/_c_')
  })

  it('with very many marks cost one pass and end as plain text', () => {
    const marked = '*a* '.repeat(1024)
    expect(html(marked)).toBe(`${'<strong>a</strong> '.repeat(200)}${'*a* '.repeat(824)}`)
    // Long enough that a second look at the rest of the text for every sign would not end in time.
    for (const text of ['*a* ', '*a ', '```a ', '*_~', 'http://. ', '`', '*a _b ~c ']) expect(plainText(text.repeat(60_000))).not.toBe('')
  })

  it('link http and https only', () => {
    expect(html('see https://example.com/a_b_c. ok')).toBe('see <a href="https://example.com/a_b_c" target="_blank" rel="noopener noreferrer">https://example.com/a_b_c</a>. ok')
    expect(html('javascript:alert(1)')).toBe('javascript:alert(1)')
  })
})
