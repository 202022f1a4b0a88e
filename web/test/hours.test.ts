import i18next, { type TFunction } from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DistributionStatus, Holiday, HoursPeriod, WeeklyPeriod } from '../src/api/types'
import { addHolidays, holidayOf, isThere, nextDate, sortExceptions, toAdd, todayIn, yearsOf } from '../src/settings/hours/exceptions'
import { atExceptions, atWeek, wordsOf } from '../src/settings/hours/refused'
import { dateText, dayName, statusText, weekText } from '../src/settings/hours/texts'
import { addBreak, addPeriod, barsOf, copyDay, everyDay, firstWeek, readTime, runsOf, splitAtMidnight, textOf, weekdays, weeklyOf, weekOf, wrongOf, type Week } from '../src/settings/hours/week'
import { nextReason } from '../src/settings/nextReason'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

const t = ((key: string, values?: object) => (values ? `${key} ${JSON.stringify(values)}` : key)) as TFunction
const period = (text: string): HoursPeriod => ({ from: text.slice(0, 5), to: text.slice(6) })
const periods = (...texts: string[]) => texts.map(period)

describe('the week', () => {
  const weekly: WeeklyPeriod[] = [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '13:00', to: '18:00' },
    { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '08:00', to: '12:00' },
  ]

  it('has the periods of each day in the order of their times, and is sent as few periods', () => {
    const week = weekOf(weekly)
    expect(textOf(week.mon)).toBe('08:00–12:00, 13:00–18:00')
    expect(textOf(week.sat)).toBe('08:00–12:00')
    expect(week.sun).toEqual([])
    expect(weeklyOf(week)).toEqual({
      weekly: [weekly[1], weekly[0]],
      places: [[...weekdays, 'sat'].map((day) => ({ day, index: 0 })), weekdays.map((day) => ({ day, index: 1 }))],
    })
  })

  it('of new opening hours is Monday to Friday', () => {
    expect(weeklyOf(firstWeek()).weekly).toEqual([{ days: [...weekdays], from: '08:00', to: '18:00' }])
  })

  it('takes times as people type them', () => {
    const read = (...texts: string[]) => texts.map((text) => readTime(text, false))
    expect(read('8', '08', '830', '0830', '8:30', '08:30', '8h30', '8h', '18.15', ' 9 ')).toEqual(['08:00', '08:00', '08:30', '08:30', '08:30', '08:30', '08:30', '08:00', '18:15', '09:00'])
    expect(read('', 'x', '25', '8:60', '24:01', '24:00', '12345', '-8')).toEqual([null, null, null, null, null, null, null, null])
    expect(['0', '00:00', '24', '24:00', '23:59'].map((text) => readTime(text, true))).toEqual(['24:00', '24:00', '24:00', '24:00', '23:59'])
    expect(read('0', '00:00')).toEqual(['00:00', '00:00'])
  })

  it('says what is wrong with a period', () => {
    expect(wrongOf(periods('08:00-12:00', '12:00-24:00'))).toEqual([null, null])
    expect(wrongOf(periods('08:00-12:00', '11:59-13:00', '13:00-13:00', '18:00-02:00'))).toEqual([null, 'overlap', 'order', 'order'])
    expect(wrongOf([{ from: '', to: '12:00' }, { from: '08:00', to: '' }, ...periods('00:00-24:00')])).toEqual(['missing', 'missing', null])
  })

  it('gets another period where there is room', () => {
    expect(addPeriod([])).toEqual(periods('08:00-18:00'))
    expect(addPeriod(periods('08:00-12:00'))).toEqual(periods('08:00-12:00', '13:00-17:00'))
    expect(addPeriod(periods('08:00-22:30'))).toEqual(periods('08:00-22:30', '23:00-24:00'))
    expect(addPeriod(periods('08:00-24:00'))).toBeNull()
  })

  it('gets a break at noon, or in the middle', () => {
    expect(addBreak(periods('08:00-18:00'))).toEqual(periods('08:00-12:00', '13:00-18:00'))
    expect(addBreak(periods('06:00-08:00', '14:00-22:00'))).toEqual(periods('06:00-08:00', '14:00-17:30', '18:30-22:00'))
    expect(addBreak(periods('08:00-10:00'))).toEqual(periods('08:00-08:30', '09:30-10:00'))
    expect(addBreak(periods('08:00-09:30'))).toBeNull()
    expect(addBreak([])).toBeNull()
    for (let from = 0; from < 22; from++) {
      for (let to = from + 2; to <= 24; to++) {
        const made = addBreak([{ from: `${String(from).padStart(2, '0')}:10`, to: `${String(to).padStart(2, '0')}:00` }])
        if (made) expect([from, to, wrongOf(made)]).toEqual([from, to, [null, null]])
      }
    }
  })

  it('takes over the periods of a day', () => {
    const week = { ...firstWeek(), mon: periods('08:00-12:00', '13:00-18:00'), sat: periods('09:00-12:00') }
    const copied = copyDay(week, 'mon', weekdays)
    expect(copied.fri).toEqual(week.mon)
    expect(copied.sat).toEqual(week.sat)
  })

  it('continues a period over midnight on the next day', () => {
    const week: Week = { ...everyDay(() => []), sun: periods('18:00-02:00'), mon: periods('18:00-23:00') }
    const split = splitAtMidnight(week, 'sun', 0)
    expect(split.sun).toEqual(periods('18:00-24:00'))
    expect(split.mon).toEqual(periods('00:00-02:00', '18:00-23:00'))
  })

  it('is drawn as bars and written as runs of days', () => {
    expect(barsOf(periods('06:00-12:00', '18:00-24:00', '20:00-02:00'))).toEqual([{ left: 25, width: 25 }, { left: 75, width: 25 }])
    expect(runsOf(weekOf(weekly)).map(({ first, last }) => [first, last])).toEqual([['mon', 'fri'], ['sat', 'sat']])
    expect(weekText({ weekly })).toBe('Mon–Fri 08:00–12:00, 13:00–18:00 · Sat 08:00–12:00')
    expect(dayName('sun')).toBe('Sunday')
  })
})

describe('exceptions', () => {
  const today = '2026-11-16'

  it('are in the order in which they come next, past ones last', () => {
    const dates = ['2026-11-15', '--01-01', '2026-12-24', '--12-25', '2024-05-01', '2026-11-16', '2028-02-28', '--02-29']
    expect(sortExceptions(dates.map((date) => ({ date })), today).map(({ date }) => date)).toEqual(['2026-11-16', '2026-12-24', '--12-25', '--01-01', '2028-02-28', '--02-29', '2026-11-15', '2024-05-01'])
    expect(nextDate('--11-16', today)).toBe('2026-11-16')
    expect(nextDate('--02-29', today)).toBe('2028-02-29')
  })

  const holidays: Holiday[] = [
    { date: '2026-12-25', yearly: true, optional: false, key: 'christmas', name: 'Natal' },
    { date: '2026-04-03', yearly: false, optional: false, key: 'good_friday', name: 'Sexta-feira Santa' },
  ]

  it('get the holidays that are missing', () => {
    expect(addHolidays([], holidays)).toEqual([{ date: '--12-25', closed: true }, { date: '2026-04-03', closed: true }])
    const own = [{ date: '2026-12-25', periods: periods('08:00-12:00') }]
    expect(addHolidays(own, holidays)).toEqual([...own, { date: '2026-04-03', closed: true }])
    expect(toAdd([], holidays, today).map(({ key }) => key)).toEqual(['christmas'])
    expect(toAdd([{ date: '--12-25' }], holidays.map((one) => ({ ...one, optional: one.key === 'christmas' })), '2026-01-01').map(({ key }) => key)).toEqual(['good_friday'])
    expect(isThere([{ date: '--12-25' }], holidays[0] as Holiday)).toBe(true)
  })

  it('are named after their holiday', () => {
    expect(holidayOf('--12-25', holidays)?.key).toBe('christmas')
    expect(holidayOf('2026-12-25', holidays)?.key).toBe('christmas')
    expect(holidayOf('--04-03', holidays)).toBeUndefined()
    expect(yearsOf([{ date: '--12-25' }, { date: '2027-03-26' }], today)).toEqual([2026, 2027])
  })

  it('are written with their date', () => {
    expect(dateText('2026-12-24')).toBe('Thursday, December 24, 2026')
    expect(dateText('--12-25')).toBe('December 25')
    expect(todayIn('America/Sao_Paulo', new Date('2026-11-16T02:00:00Z'))).toBe('2026-11-15')
  })
})

it('the status says when it changes, by the clocks of the time zone', () => {
  const now = new Date('2026-11-16T14:00:00Z')
  const text = (open: boolean, change: string | null) => statusText({ open, closes_at: open ? change : null, next_open_at: open ? null : change }, 'America/Sao_Paulo', t, now)
  expect(text(true, '2026-11-16T15:00:00Z')).toBe('hours.openUntil {"time":"12:00"}')
  expect(text(false, '2026-11-17T11:00:00Z')).toBe('hours.closedUntilDay {"day":"Tuesday","time":"08:00"}')
  expect(text(true, '2026-12-25T03:00:00Z')).toBe('hours.openUntilDay {"day":"December 25, 2026","time":"00:00"}')
  expect(text(true, null)).toBe('hours.alwaysOpen')
  expect(text(false, null)).toBe('hours.neverOpen')
})

describe('what the server refuses', () => {
  it('stands at the periods that were sent', () => {
    const { places } = weeklyOf({ ...everyDay(() => []), mon: periods('08:00-12:00', '11:00-13:00'), tue: periods('11:00-13:00') })
    expect(atWeek.fields).toContain('weekly[1].to')
    expect(atWeek.place({ 'weekly[1]': 'x', name: 'y' }, places)).toEqual([{ day: 'mon', index: 1, text: 'x' }, { day: 'tue', index: 0, text: 'x' }])
    expect(atExceptions.place({ 'exceptions[1].date': 'Twice.' }, ['--01-01', '--12-25'])).toBe('December 25: Twice.')
    expect(atExceptions.place({ name: 'y' }, [])).toBeUndefined()
  })

  it('is said in the words of the screen', () => {
    expect(wordsOf('overlaps another period on mon', t)).toBe('hours.wrong.overlap')
    expect(wordsOf('must be later than from; write a period over midnight as two', t)).toBe('hours.wrong.order')
    expect(wordsOf('must have at most 50 periods', t)).toBe('wrong.many {"n":"50"}')
    expect(wordsOf('is required', t)).toBeUndefined()
  })
})

it('the next case has a reason', () => {
  const status = (part: object): DistributionStatus => ({ sector: { id: '1', name: 'Vendas' }, distribution: { mode: 'round_robin', capacity: 10, prefer_last: false, return_after_minutes: null }, open: true, waiting: 0, oldest_waiting_at: null, next: null, members: [], ...part })
  const member = (reason: string) => ({ user: { id: '2', name: 'Ana' }, presence: 'online', open_attendances: 0, capacity: 10, received_at: null, reason })
  expect(nextReason(status({}))).toBe('empty')
  expect(nextReason(status({ members: [member('offline')] }))).toBe('nobodyOnline')
  expect(nextReason(status({ members: [member('offline'), member('full')] }))).toBe('allFull')
  expect(nextReason(status({ members: [member('next')], next: { id: '2', name: 'Ana' } }))).toBe('round_robin')
  expect(nextReason(status({ open: false }))).toBe('closed')
  expect(nextReason(status({ distribution: { ...status({}).distribution, mode: 'manual' } }))).toBe('manual')
})
