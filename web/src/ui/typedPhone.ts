/** typedPhone reads a phone that was typed, with +55 where no country is given; null where it is none. */
export function typedPhone(text: string): string | null {
  const digits = text.replace(/[\s()./-]/g, '')
  if (!/^\+?\d{8,15}$/.test(digits)) return null
  return digits.startsWith('+') ? digits : `+55${digits.replace(/^0/, '')}`
}

/** typedSoFar groups the digits of a phone while it is typed, with +55 where no country is given; other texts stay. */
export function typedSoFar(text: string, before: string): string {
  const digits = text.replace(/[\s()./-]/g, '')
  if (text.length < before.length || !/^\+?\d{3,15}$/.test(digits)) return text
  if (digits.startsWith('+') && !digits.startsWith('+55')) return digits
  const national = digits.startsWith('+')
    ? digits.slice(3)
    : digits.replace(/^0/, '')
  const [area, rest] = [national.slice(0, 2), national.slice(2)]
  const first = rest.length > 8 ? 5 : 4
  return [
    '+55',
    area,
    rest.length > first ? `${rest.slice(0, first)}-${rest.slice(first)}` : rest,
  ]
    .filter(Boolean)
    .join(' ')
}
