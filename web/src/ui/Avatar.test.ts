import { expect, it } from 'vitest'
import { initials } from './Avatar'

it('returns the initials of a name', () => {
  expect(
    ['Lia Monteiro', 'João', '🎉', 'Mercado Bom Preço'].map(initials),
  ).toEqual(['LM', 'J', '#', 'MP'])
})
