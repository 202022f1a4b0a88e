import { expect, it } from 'vitest'
import { obstacleOf, type Browser } from './pushSupport'

const browser: Browser = {
  secure: true,
  push: true,
  apple: false,
  installed: false,
  permission: 'default',
}

it.each<[string, Partial<Browser>, ReturnType<typeof obstacleOf>]>([
  ['a browser that can push', {}, null],
  ['a browser that was allowed to', { permission: 'granted' }, null],
  ['a browser that blocks notifications', { permission: 'denied' }, 'denied'],
  ['a page without https', { secure: false, push: false }, 'insecure'],
  [
    'an iPhone on a page without https',
    { secure: false, push: false, apple: true },
    'insecure',
  ],
  ['Safari on an iPhone', { push: false, apple: true }, 'install'],
  [
    'an app installed on an old iPhone',
    { push: false, apple: true, installed: true },
    'unsupported',
  ],
  ['the app installed on an iPhone', { apple: true, installed: true }, null],
  ['a browser without push', { push: false }, 'unsupported'],
])('%s', (_, change, want) => {
  expect(obstacleOf({ ...browser, ...change })).toBe(want)
})
