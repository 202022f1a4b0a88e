import { expect, it } from 'vitest'
import { changed } from './changed'

it('is only what differs from what was loaded', () => {
  expect(
    changed(
      { name: 'Loja', days: ['mon'] },
      { name: 'Loja', days: ['mon', 'tue'] },
    ),
  ).toEqual({ days: ['mon', 'tue'] })
})
