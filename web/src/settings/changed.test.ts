import { expect, it } from 'vitest'
import { changed } from './changed'

it('contains only changed values', () => {
  expect(
    changed(
      { name: 'Loja', days: ['mon'] },
      { name: 'Loja', days: ['mon', 'tue'] },
    ),
  ).toEqual({ days: ['mon', 'tue'] })
})
