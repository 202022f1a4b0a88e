import { expect, it } from 'vitest'
import { initials } from './Avatar'

it('finds initials', () => {
  expect(
    ['Lia Monteiro', 'João', '🎉', 'Mercado Bom Preço'].map(initials),
  ).toEqual(['LM', 'J', '#', 'MP'])
})
