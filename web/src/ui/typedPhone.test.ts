import { expect, it } from 'vitest'
import { typedPhone, typedSoFar } from './typedPhone'

it('parses phone numbers as people type them', () => {
  expect(typedPhone('(11) 91234-5678')).toBe('+5511912345678')
  expect(typedPhone('+351 912 345 678')).toBe('+351912345678')
  expect(typedPhone('Lia')).toBeNull()
})

it('formats a phone number while it is typed', () => {
  const typed = [...'11912345678'].reduce(
    (text, digit) => typedSoFar(text + digit, text),
    '',
  )
  expect(typed).toBe('+55 11 91234-5678')
  expect(typedSoFar('+1 415 555 01', '+1 415 555 0')).toBe('+141555501')
  expect(typedSoFar('Ana', 'An')).toBe('Ana')
})
