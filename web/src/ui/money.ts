import i18next from 'i18next'

const format = (
  amount: number,
  currency: string,
  options: Intl.NumberFormatOptions = {},
) =>
  new Intl.NumberFormat(i18next.language, {
    style: 'currency',
    currency,
    ...options,
  }).format(amount)

/** price formats what one message costs, which is often a fraction of a cent: R$ 0,0352. */
export const price = (amount: number, currency: string) =>
  format(amount, currency, { maximumFractionDigits: 4 })

/** money formats a sum: R$ 12,40. A sum below a cent has more digits, so that it doesn't look like nothing. */
export const money = (amount: number, currency: string) =>
  amount > 0 && amount < 0.01
    ? price(amount, currency)
    : format(amount, currency)
