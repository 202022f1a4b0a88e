import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import i18next, { type TFunction } from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Assignment } from '../api/types'
import { automaticReason, automaticText, closeReason } from './history'

const languages = ['en', 'pt-BR', 'es']
const read = (path: string) =>
  readFileSync(join(import.meta.dirname, path), 'utf8')

beforeAll(async () => {
  await i18next.init({
    lng: 'en',
    resources: Object.fromEntries(
      languages.map((one) => [
        one,
        { translation: JSON.parse(read(`../locales/${one}.json`)) as object },
      ]),
    ),
    interpolation: { escapeValue: false },
  })
})

const t = ((...args: Parameters<TFunction>) => i18next.t(...args)) as TFunction
const ana = { id: 'a', name: 'Ana' }
const entry = (part: Partial<Assignment>): Assignment => ({
  id: '1',
  action: 'handed_back',
  user: null,
  by: null,
  sector: null,
  sector_from: null,
  sector_to: null,
  reason: null,
  created_at: '',
  ...part,
})

describe('what the server did by itself', () => {
  it('is the choice in a menu, and where it led', () => {
    expect(
      automaticText(entry({ sector: 's', reason: 'Menu: Sales' }), 'Sales', t),
    ).toBe('Menu: Sales')
    expect(
      automaticText(
        entry({ sector: 's', reason: 'Menu: Support > Oven' }),
        'oven',
        t,
      ),
    ).toBe('Menu: Support > Oven')
    expect(
      automaticText(entry({ sector: 's', reason: 'Menu: Buy' }), 'Sales', t),
    ).toBe('Menu: Buy, to Sales')
    expect(
      automaticText(
        entry({ action: 'received', user: ana, reason: 'Menu: Talk to Ana' }),
        undefined,
        t,
      ),
    ).toBe('Menu: Talk to Ana, to Ana')
    expect(
      automaticText(entry({ reason: 'Menu: no answer in time' }), undefined, t),
    ).toBe('Menu: no answer in time, to the queue')
  })

  it('is the distribution of cases', () => {
    expect(
      automaticText(
        entry({ action: 'received', user: ana, sector: 's' }),
        'Sales',
        t,
      ),
    ).toBe('Assigned automatically to Ana')
    expect(automaticText(entry({ user: ana, sector: 's' }), 'Sales', t)).toBe(
      'Returned to the queue: not answered in time',
    )
  })

  it('is nothing that a person did, or that followed the removal of one', () => {
    expect(
      automaticText(entry({ by: ana, reason: 'Menu: Sales' }), undefined, t),
    ).toBeNull()
    expect(
      automaticText(entry({ action: 'took_over', user: ana }), undefined, t),
    ).toBeNull()
    expect(automaticText(entry({}), undefined, t)).toBeNull()
  })

  it('closes cases, whose reason is that of a person or of a menu', () => {
    expect(
      closeReason({ close_reason: 'Menu: Nothing more', closed_by: null }, t),
    ).toBe('Menu: Nothing more')
    expect(closeReason({ close_reason: 'solved', closed_by: ana }, t)).toBe(
      'solved',
    )
    expect(closeReason({ close_reason: 'automatic', closed_by: null }, t)).toBe(
      '',
    )
  })

  it('is said in every language for every ending that the documents list', async () => {
    const text = read('../../../docs/reception.md').replaceAll(/\s+/g, ' ')
    const listed = [
      ...text
        .slice(text.indexOf('how a menu ended'))
        .matchAll(/`(Menu: [^`]+)`/g),
    ]
      .map((match) => match[1] ?? '')
      .slice(2, 8)
    expect(listed).toHaveLength(6)
    for (const language of ['pt-BR', 'es']) {
      await i18next.changeLanguage(language)
      for (const reason of listed)
        expect([language, automaticReason(reason, t)]).not.toEqual([
          language,
          reason,
        ])
    }
    await i18next.changeLanguage('en')
  })
})
