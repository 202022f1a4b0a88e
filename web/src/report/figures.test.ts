import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import { change, roundTicks, share, span, time, weekdays } from './figures'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

it('formats durations in suitable units', () => {
  expect([0, 20, 480, 3600, 7500, 172_800, 187_200].map(span)).toEqual([
    '0 min',
    '20 s',
    '8 min',
    '1 h',
    '2 h 5 min',
    '2 d',
    '2 d 4 h',
  ])
  expect(time(null)).toBe('–')
})

it('labels the axis of a chart with few round durations', () => {
  expect(roundTicks(0)).toEqual([0, 20])
  expect(roundTicks(45).map(span)).toEqual(['0 min', '20 s', '40 s', '1 min'])
  expect(roundTicks(70).map(span)).toEqual(['0 min', '1 min', '2 min'])
  expect(roundTicks(17 * 60).map(span)).toEqual([
    '0 min',
    '5 min',
    '10 min',
    '15 min',
    '20 min',
  ])
  expect(roundTicks(40 * 86_400).at(-1)).toBe(40 * 86_400)
})

it('compares a figure with the period before', () => {
  expect(change(112, 100)).toBe('+12%')
  expect(change(50, 100)).toBe('-50%')
  expect(change(100, 100)).toBe('0%')
  expect(change(5, 0)).toBe(null)
  expect(change(null, 5)).toBe(null)
  expect(share(1, 3)).toBe('33%')
  expect(share(0, 0)).toBe('–')
})

it('begins the week on Monday', () => {
  expect(weekdays('long')[0]).toBe('Monday')
  expect(weekdays('short')).toHaveLength(7)
})
