import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import type { HoursPeriod, WeeklyPeriod } from '../../api/types'
import { dayName, weekText } from './texts'
import {
  addBreak,
  addPeriod,
  barsOf,
  copyDay,
  everyDay,
  firstWeek,
  readTime,
  runsOf,
  splitAtMidnight,
  textOf,
  weekdays,
  weeklyOf,
  weekOf,
  wrongOf,
  type Week,
} from './week'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

const period = (text: string): HoursPeriod => ({
  from: text.slice(0, 5),
  to: text.slice(6),
})
const periods = (...texts: string[]) => texts.map(period)

describe('the week', () => {
  const weekly: WeeklyPeriod[] = [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '13:00', to: '18:00' },
    {
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
      from: '08:00',
      to: '12:00',
    },
  ]

  it('sorts the periods of each day and merges equal ones for the API', () => {
    const week = weekOf(weekly)
    expect(textOf(week.mon)).toBe('08:00–12:00, 13:00–18:00')
    expect(textOf(week.sat)).toBe('08:00–12:00')
    expect(week.sun).toEqual([])
    expect(weeklyOf(week)).toEqual({
      weekly: [weekly[1], weekly[0]],
      places: [
        [...weekdays, 'sat'].map((day) => ({ day, index: 0 })),
        weekdays.map((day) => ({ day, index: 1 })),
      ],
    })
  })

  it('of new opening hours is Monday to Friday', () => {
    expect(weeklyOf(firstWeek()).weekly).toEqual([
      { days: [...weekdays], from: '08:00', to: '18:00' },
    ])
  })

  it('parses times as people type them', () => {
    const read = (...texts: string[]) =>
      texts.map((text) => readTime(text, false))
    expect(
      read(
        '8',
        '08',
        '830',
        '0830',
        '8:30',
        '08:30',
        '8h30',
        '8h',
        '18.15',
        ' 9 ',
      ),
    ).toEqual([
      '08:00',
      '08:00',
      '08:30',
      '08:30',
      '08:30',
      '08:30',
      '08:30',
      '08:00',
      '18:15',
      '09:00',
    ])
    expect(
      read('', 'x', '25', '8:60', '24:01', '24:00', '12345', '-8'),
    ).toEqual([null, null, null, null, null, null, null, null])
    expect(
      ['0', '00:00', '24', '24:00', '23:59'].map((text) =>
        readTime(text, true),
      ),
    ).toEqual(['24:00', '24:00', '24:00', '24:00', '23:59'])
    expect(read('0', '00:00')).toEqual(['00:00', '00:00'])
  })

  it('reports invalid periods', () => {
    expect(wrongOf(periods('08:00-12:00', '12:00-24:00'))).toEqual([null, null])
    expect(
      wrongOf(
        periods('08:00-12:00', '11:59-13:00', '13:00-13:00', '18:00-02:00'),
      ),
    ).toEqual([null, 'overlap', 'order', 'order'])
    expect(
      wrongOf([
        { from: '', to: '12:00' },
        { from: '08:00', to: '' },
        ...periods('00:00-24:00'),
      ]),
    ).toEqual(['missing', 'missing', null])
  })

  it('adds a period if there is room', () => {
    expect(addPeriod([])).toEqual(periods('08:00-18:00'))
    expect(addPeriod(periods('08:00-12:00'))).toEqual(
      periods('08:00-12:00', '13:00-17:00'),
    )
    expect(addPeriod(periods('08:00-22:30'))).toEqual(
      periods('08:00-22:30', '23:00-24:00'),
    )
    expect(addPeriod(periods('08:00-24:00'))).toBeNull()
  })

  it('adds a break at noon or in the middle', () => {
    expect(addBreak(periods('08:00-18:00'))).toEqual(
      periods('08:00-12:00', '13:00-18:00'),
    )
    expect(addBreak(periods('06:00-08:00', '14:00-22:00'))).toEqual(
      periods('06:00-08:00', '14:00-17:30', '18:30-22:00'),
    )
    expect(addBreak(periods('08:00-10:00'))).toEqual(
      periods('08:00-08:30', '09:30-10:00'),
    )
    expect(addBreak(periods('08:00-09:30'))).toBeNull()
    expect(addBreak([])).toBeNull()
    for (let from = 0; from < 22; from++) {
      for (let to = from + 2; to <= 24; to++) {
        const made = addBreak([
          {
            from: `${String(from).padStart(2, '0')}:10`,
            to: `${String(to).padStart(2, '0')}:00`,
          },
        ])
        if (made)
          expect([from, to, wrongOf(made)]).toEqual([from, to, [null, null]])
      }
    }
  })

  it('copies the periods of a day', () => {
    const week = {
      ...firstWeek(),
      mon: periods('08:00-12:00', '13:00-18:00'),
      sat: periods('09:00-12:00'),
    }
    const copied = copyDay(week, 'mon', weekdays)
    expect(copied.fri).toEqual(week.mon)
    expect(copied.sat).toEqual(week.sat)
  })

  it('splits a period at midnight', () => {
    const week: Week = {
      ...everyDay(() => []),
      sun: periods('18:00-02:00'),
      mon: periods('18:00-23:00'),
    }
    const split = splitAtMidnight(week, 'sun', 0)
    expect(split.sun).toEqual(periods('18:00-24:00'))
    expect(split.mon).toEqual(periods('00:00-02:00', '18:00-23:00'))
  })

  it('is rendered as bars and as runs of days', () => {
    expect(
      barsOf(periods('06:00-12:00', '18:00-24:00', '20:00-02:00')),
    ).toEqual([
      { left: 25, width: 25 },
      { left: 75, width: 25 },
    ])
    expect(
      runsOf(weekOf(weekly)).map(({ first, last }) => [first, last]),
    ).toEqual([
      ['mon', 'fri'],
      ['sat', 'sat'],
    ])
    expect(weekText({ weekly })).toBe(
      'Mon–Fri 08:00–12:00, 13:00–18:00 · Sat 08:00–12:00',
    )
    expect(dayName('sun')).toBe('Sunday')
  })
})
