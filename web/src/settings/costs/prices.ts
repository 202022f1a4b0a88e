import type { Rate, Rates } from '../../api/types'

export const categories = [
  'marketing',
  'utility',
  'authentication',
  'service',
] as const

/** everywhere is the country of a price that applies to all countries without one. */
export const everywhere = '*'

/** A number being typed: '' is none, and '0.' is not a number yet. */
export type Typed = number | string

/** PriceDraft is a price being edited. The key identifies it while others are added and removed. */
export type PriceDraft = Omit<Rate, 'amount'> & { key: string; amount: Typed }

/** PricesDraft is the list of prices being edited. */
export type PricesDraft = {
  currency: string
  free: Typed
  prices: PriceDraft[]
}

/** draftOf returns the stored prices for editing. A company without a currency starts with that of its language. */
export const draftOf = (stored: Rates, language: string): PricesDraft => ({
  currency: stored.currency ?? (language === 'pt-BR' ? 'BRL' : 'USD'),
  free: stored.free_service_per_month,
  prices: stored.rates.map(({ country, category, amount, from }, index) => ({
    key: String(index),
    country,
    category,
    amount,
    from,
  })),
})

/** bodyOf returns the prices to store. */
export const bodyOf = ({ currency, free, prices }: PricesDraft) => ({
  currency,
  free_service_per_month: Number(free),
  rates: prices.map(({ country, category, amount, from }) => ({
    country,
    category,
    amount: Number(amount),
    from,
  })),
})

const content = (draft: PricesDraft) => JSON.stringify(bodyOf(draft))

export const same = (a: PricesDraft, b: PricesDraft) =>
  content(a) === content(b) && a.prices.every((one) => one.amount !== '')

/** nextPrice returns a price to add: the next category of the last country, valid from the same day. */
export function nextPrice(
  prices: PriceDraft[],
  currency: string,
  today: string,
): PriceDraft {
  const last = prices.at(-1)
  const from = last?.from ?? `${today.slice(0, 8)}01`
  const country = last?.country ?? (currency === 'BRL' ? 'BR' : everywhere)
  const taken = prices.filter(
    (one) => one.country === country && one.from === from,
  )
  const category = categories.find(
    (one) => !taken.some((price) => price.category === one),
  )
  return {
    key: crypto.randomUUID(),
    country: category ? country : everywhere,
    category: category ?? 'marketing',
    amount: '',
    from,
  }
}

/** Missing is what is wrong with a price before it is sent. */
export type Missing = { amount?: 'required'; from?: 'required' | 'twice' }

/** missingOf returns what is wrong with each price, by its key. */
export function missingOf(prices: PriceDraft[]): Map<string, Missing> {
  const seen = new Set<string>()
  const found = new Map<string, Missing>()
  for (const { key, country, category, amount, from } of prices) {
    const name = `${country} ${category} ${from}`
    const missing: Missing = {
      ...(amount === '' ? { amount: 'required' } : {}),
      ...(!from ? { from: 'required' } : {}),
      ...(from && seen.has(name) ? { from: 'twice' } : {}),
    }
    seen.add(name)
    if (Object.keys(missing).length > 0) found.set(key, missing)
  }
  return found
}
