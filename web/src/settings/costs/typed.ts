/** decimalPoint returns the decimal separator of a language. */
export const decimalPoint = (language: string) =>
  new Intl.NumberFormat(language)
    .formatToParts(0.5)
    .find((part) => part.type === 'decimal')?.value ?? '.'

/** thousands returns the thousands separator of a language. */
export const thousands = (language: string) =>
  new Intl.NumberFormat(language)
    .formatToParts(1_000_000)
    .find((part) => part.type === 'group')?.value ?? ''
