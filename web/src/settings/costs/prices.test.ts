import { expect, it } from 'vitest'
import {
  bodyOf,
  draftOf,
  missingOf,
  nextPrice,
  same,
  type PriceDraft,
} from './prices'

const stored = {
  currency: 'BRL',
  free_service_per_month: 1000,
  rates: [
    { country: 'BR', category: 'marketing', amount: 0.35, from: '2026-11-01' },
  ],
} as const

const draft = () => draftOf({ ...stored, rates: [...stored.rates] }, 'pt-BR')
const price = (fields: Partial<PriceDraft>): PriceDraft => ({
  key: 'x',
  country: 'BR',
  category: 'marketing',
  amount: 0.35,
  from: '2026-11-01',
  ...fields,
})

it('stores what was loaded, and typed numbers as numbers', () => {
  expect(bodyOf(draft())).toEqual(stored)
  expect(same(draft(), draft())).toBe(true)
  const typed = draft()
  typed.prices = [price({ amount: '0.0400' })]
  expect(bodyOf(typed).rates[0]?.amount).toBe(0.04)
  expect(same(typed, draft())).toBe(false)
})

it('starts with the currency of the language', () => {
  const empty = { currency: null, free_service_per_month: 0, rates: [] }
  expect(draftOf(empty, 'pt-BR').currency).toBe('BRL')
  expect(draftOf(empty, 'en').currency).toBe('USD')
})

it('offers the next category of the last country', () => {
  const first = nextPrice([], 'BRL', '2026-11-17')
  expect(first).toMatchObject({
    country: 'BR',
    category: 'marketing',
    amount: '',
    from: '2026-11-01',
  })
  const prices = [price({}), price({ category: 'service' })]
  expect(nextPrice(prices, 'BRL', '2026-12-02')).toMatchObject({
    country: 'BR',
    category: 'utility',
    from: '2026-11-01',
  })
  const all = (
    ['marketing', 'utility', 'authentication', 'service'] as const
  ).map((category) => price({ category }))
  expect(nextPrice(all, 'BRL', '2026-12-02').country).toBe('*')
})

it('finds prices without an amount or a day, and those that appear twice', () => {
  const found = missingOf([
    price({ key: 'a' }),
    price({ key: 'b', amount: '' }),
    price({ key: 'c', from: '' }),
    price({ key: 'd', from: '2026-12-01' }),
  ])
  expect([...found]).toEqual([
    ['b', { amount: 'required', from: 'twice' }],
    ['c', { from: 'required' }],
  ])
})
