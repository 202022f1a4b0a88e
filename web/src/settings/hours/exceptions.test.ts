import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Holiday } from '../../api/types'
import {
  addHolidays,
  holidayOf,
  isThere,
  nextDate,
  sortExceptions,
  toAdd,
  todayIn,
  yearsOf,
} from './exceptions'
import { dateText } from './texts'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

describe('exceptions', () => {
  const today = '2026-11-16'

  it('are sorted by next date, past ones last', () => {
    const dates = [
      '2026-11-15',
      '--01-01',
      '2026-12-24',
      '--12-25',
      '2024-05-01',
      '2026-11-16',
      '2028-02-28',
      '--02-29',
    ]
    expect(
      sortExceptions(
        dates.map((date) => ({ date })),
        today,
      ).map(({ date }) => date),
    ).toEqual([
      '2026-11-16',
      '2026-12-24',
      '--12-25',
      '--01-01',
      '2028-02-28',
      '--02-29',
      '2026-11-15',
      '2024-05-01',
    ])
    expect(nextDate('--11-16', today)).toBe('2026-11-16')
    expect(nextDate('--02-29', today)).toBe('2028-02-29')
  })

  const holidays: Holiday[] = [
    {
      date: '2026-12-25',
      yearly: true,
      optional: false,
      key: 'christmas',
      name: 'Natal',
    },
    {
      date: '2026-04-03',
      yearly: false,
      optional: false,
      key: 'good_friday',
      name: 'Sexta-feira Santa',
    },
  ]

  it('can be completed with missing holidays', () => {
    expect(addHolidays([], holidays)).toEqual([
      { date: '--12-25', closed: true },
      { date: '2026-04-03', closed: true },
    ])
    const own = [
      { date: '2026-12-25', periods: [{ from: '08:00', to: '12:00' }] },
    ]
    expect(addHolidays(own, holidays)).toEqual([
      ...own,
      { date: '2026-04-03', closed: true },
    ])
    expect(toAdd([], holidays, today).map(({ key }) => key)).toEqual([
      'christmas',
    ])
    expect(
      toAdd(
        [{ date: '--12-25' }],
        holidays.map((one) => ({ ...one, optional: one.key === 'christmas' })),
        '2026-01-01',
      ).map(({ key }) => key),
    ).toEqual(['good_friday'])
    expect(isThere([{ date: '--12-25' }], holidays[0] as Holiday)).toBe(true)
  })

  it('are named after their holiday', () => {
    expect(holidayOf('--12-25', holidays)?.key).toBe('christmas')
    expect(holidayOf('2026-12-25', holidays)?.key).toBe('christmas')
    expect(holidayOf('--04-03', holidays)).toBeUndefined()
    expect(
      yearsOf([{ date: '--12-25' }, { date: '2027-03-26' }], today),
    ).toEqual([2026, 2027])
  })

  it('are formatted with their date', () => {
    expect(dateText('2026-12-24')).toBe('Thursday, December 24, 2026')
    expect(dateText('--12-25')).toBe('December 25')
    expect(todayIn('America/Sao_Paulo', new Date('2026-11-16T02:00:00Z'))).toBe(
      '2026-11-15',
    )
  })
})
