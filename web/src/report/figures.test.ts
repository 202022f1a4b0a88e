import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import { span, time } from './figures'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

it('formats durations in suitable units', () => {
  expect([0, 20, 480, 3600, 7500, 172_800, 187_200].map(span)).toEqual([
    '0 min',
    '< 1 min',
    '8 min',
    '1 h',
    '2 h 5 min',
    '2 d',
    '2 d 4 h',
  ])
  expect(time(null)).toBe('–')
})
