import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import type { Reception } from '../../api/types'
import {
  bodyOf,
  draftOf,
  fieldsOf,
  incomplete,
  moveItem,
  newMenu,
  receptionWords,
  same,
} from './receptionForm'

const shop: Reception = {
  enabled: true,
  greeting: 'Hello',
  away: null,
  menu: {
    text: 'How can we help?',
    invalid_text: null,
    max_invalid: 2,
    timeout_minutes: 10,
    fallback_sector: 's1',
    options: [
      { title: 'Sales', action: { sector: 's1' } },
      { title: 'Ana', action: { user: 'u1' } },
      { title: 'Hours', action: { text: '8 to 18' } },
      { title: 'Nothing', action: { close: true } },
      {
        title: 'Support',
        action: {
          menu: {
            text: 'Which?',
            invalid_text: null,
            max_invalid: 2,
            timeout_minutes: 30,
            fallback_sector: null,
            options: [
              { title: 'Oven', action: { sector: 's2' } },
              { title: 'Other', action: { close: true } },
            ],
          },
        },
      },
    ],
  },
}

describe('the reception form', () => {
  it("round-trips the server's data, except inherited menu rules", () => {
    const body = bodyOf(draftOf(shop))
    const below = body.menu?.options[4]?.action.menu
    expect(below).not.toHaveProperty('max_invalid')
    expect(below?.timeout_minutes).toBe(30)
    if (below) below.max_invalid = 2
    expect(body).toEqual(shop)
    expect(same(draftOf(shop), draftOf(shop))).toBe(true)
  })

  it('omits a menu that is off but keeps it while the form is open', () => {
    const draft = { ...draftOf(shop), withMenu: false }
    expect(bodyOf(draft).menu).toBeNull()
    expect(bodyOf({ ...draft, withMenu: true }).menu?.options).toHaveLength(5)
  })

  it('names its fields as server errors do', () => {
    expect(fieldsOf(draftOf(shop))).toEqual(
      expect.arrayContaining([
        'greeting',
        'menu.text',
        'menu.options[2].title',
        'menu.options[0].action.sector',
        'menu.options[4].action.menu.options[1].title',
        'menu.options[4].action.menu.max_invalid',
      ]),
    )
  })

  it('reports incomplete fields', () => {
    expect(incomplete(newMenu(false))).toBe(true)
    const { menu } = draftOf(shop)
    expect(incomplete(menu)).toBe(false)
    expect(
      incomplete({
        ...menu,
        options: menu.options.map((option) => ({ ...option, sector: '' })),
      }),
    ).toBe(true)
  })

  it('translates server errors', () => {
    const t = ((key: string) => key) as TFunction
    const words = (code: string) =>
      receptionWords({ code, params: {}, message: '' }, t)
    expect(words('wrong_count')).toBe('reception.wrong.options')
    expect(words('duplicate')).toBe('reception.wrong.twice')
    expect(words('too_long')).toBeUndefined()
  })

  it('moves options', () => {
    expect(moveItem(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
    expect(moveItem(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
  })
})
