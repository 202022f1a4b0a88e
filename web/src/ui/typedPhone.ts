/** typedPhone parses a typed phone number, assuming +55 without a country code. It returns null if the text is not a phone number. */
export function typedPhone(text: string): string | null {
  const digits = text.replace(/[\s()./-]/g, '')
  if (!/^\+?\d{8,15}$/.test(digits)) return null
  return digits.startsWith('+') ? digits : `+55${digits.replace(/^0/, '')}`
}

/** typedSoFar formats a phone number while it is typed, assuming +55 without a country code. Other texts are returned unchanged. */
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
