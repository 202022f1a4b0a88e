import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import { money, price } from './money'

beforeAll(() => i18next.init({ lng: 'pt-BR', resources: {} }))

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

it('shows sums with cents and prices with up to four digits', () => {
  expect(plain(money(1234.567, 'BRL'))).toBe('R$ 1.234,57')
  expect(plain(money(0, 'BRL'))).toBe('R$ 0,00')
  expect(plain(price(0.0352, 'BRL'))).toBe('R$ 0,0352')
  expect(plain(price(0.05, 'BRL'))).toBe('R$ 0,05')
  expect(plain(money(12, 'CLP'))).toBe('CLP 12')
})

it('does not show a sum below a cent as nothing', () => {
  expect(plain(money(0.0042, 'USD'))).toBe('US$ 0,0042')
})
