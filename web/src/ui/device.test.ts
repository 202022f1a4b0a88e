import { expect, it } from 'vitest'
import { device } from './device'

it('returns the browser and operating system of a session', () => {
  expect(
    device(
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    ),
  ).toBe('Chrome · Linux')
  expect(
    device(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    ),
  ).toBe('Safari · iPhone')
  expect(device('curl/8.5.0')).toBe('curl/8.5.0')
  expect(device('')).toBe(null)
})
