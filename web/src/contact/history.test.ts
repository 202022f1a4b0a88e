import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadTexts, read, t } from '../../test/texts'
import type { Assignment } from '../api/types'
import { automaticReason, automaticText, closeReason } from './history'

beforeAll(() => loadTexts('en'))

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

describe('automatic changes of a case', () => {
  it('name the option chosen in the menu and where it led', () => {
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
    ).toBe('Menu: timed out, to the queue')
  })

  it('name who received a case, or say that it went back to the queue', () => {
    expect(
      automaticText(
        entry({ action: 'received', user: ana, sector: 's' }),
        'Sales',
        t,
      ),
    ).toBe('Automatically assigned to Ana')
    expect(automaticText(entry({ user: ana, sector: 's' }), 'Sales', t)).toBe(
      'Returned to the queue: no reply in time',
    )
  })

  it('exclude changes made by a person or caused by removing one', () => {
    expect(
      automaticText(entry({ by: ana, reason: 'Menu: Sales' }), undefined, t),
    ).toBeNull()
    expect(
      automaticText(entry({ action: 'took_over', user: ana }), undefined, t),
    ).toBeNull()
    expect(automaticText(entry({}), undefined, t)).toBeNull()
  })

  it('close a case with the reason of the person or the menu', () => {
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

  it('have a translation for every menu ending in docs/reception.md', async () => {
    const text = read('docs/reception.md').replaceAll(/\s+/g, ' ')
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
