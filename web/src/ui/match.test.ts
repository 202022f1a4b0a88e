import { expect, it } from 'vitest'
import { byMatch } from './match'

it('puts names that start with the text first, then words, then the rest', () => {
  const names = ['Júlia', 'Eliane', 'Ana Lia', 'Lia Nunes', 'Bruno']
  expect(byMatch(names, 'lia', (name) => name)).toEqual([
    'Lia Nunes',
    'Ana Lia',
    'Júlia',
    'Eliane',
  ])
})

it('ignores accents and case, and returns all names without a text', () => {
  expect(byMatch(['João', 'Bia'], 'JOAO', (name) => name)).toEqual(['João'])
  expect(byMatch(['João', 'Bia'], ' ', (name) => name)).toEqual(['João', 'Bia'])
})
