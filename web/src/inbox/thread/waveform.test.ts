import { expect, it } from 'vitest'
import { bars, levels } from './waveform'

it('computes the loudness of each part relative to the loudest', () => {
  const samples = Float32Array.from({ length: 400 }, (_, at) =>
    at < 100 ? 0 : at < 200 ? 0.5 : at < 300 ? -0.25 : 0,
  )
  expect(levels(samples, 4)).toEqual([0, 1, 0.5, 0])
  expect(levels(new Float32Array(10), 2)).toEqual([0, 0])
})

it('draws a bar for each level, also for silence', () => {
  expect(bars([1, 0], 28)).toBe('M1 2.0v24.0M5 12.8v2.4')
})
