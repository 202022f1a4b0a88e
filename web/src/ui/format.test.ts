import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  clock,
  day,
  dayKey,
  duration,
  fileSize,
  instant,
  localTime,
  phone,
  position,
  setTimeZone,
} from './format'

beforeAll(async () => {
  await i18next.init({ lng: 'en', resources: {} })
  setTimeZone('America/Sao_Paulo')
})

describe('formatting', () => {
  it("formats times in the company's time zone", () => {
    expect(clock('2026-11-15T12:41:00.000Z')).toBe('09:41')
    expect(dayKey('2026-11-15T02:00:00.000Z')).toBe('2026-11-14')
    expect(
      day('2026-11-15T02:00:00.000Z', new Date('2026-11-15T12:00:00.000Z')),
    ).toBe('Yesterday')
  })

  it("converts local times in the company's time zone, across clock changes", () => {
    expect(localTime(new Date('2026-11-15T12:41:00.000Z'))).toBe(
      '2026-11-15T09:41',
    )
    expect(instant('2026-11-15T09:41').toISOString()).toBe(
      '2026-11-15T12:41:00.000Z',
    )
    setTimeZone('America/New_York')
    expect(instant('2026-11-01T00:30').toISOString()).toBe(
      '2026-11-01T04:30:00.000Z',
    )
    expect(instant('2026-11-01T03:00').toISOString()).toBe(
      '2026-11-01T08:00:00.000Z',
    )
    setTimeZone('America/Sao_Paulo')
  })

  it('formats durations, positions and sizes', () => {
    expect([59, 480, 7500, 200_000].map(duration)).toEqual([
      '0 min',
      '8 min',
      '2 h 5 min',
      '2 d',
    ])
    expect(position(42)).toBe('0:42')
    expect(fileSize(2 * 1024 * 1024)).toBe('2 MB')
    expect(phone('+5511912345678')).toBe('+55 11 91234-5678')
  })
})
