import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { table } from '../src/report/csv'
import { span, time } from '../src/report/figures'
import { presets, problemOf, readReportSearch, shift } from '../src/report/period'
import { device } from '../src/profile/device'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

describe('the report', () => {
  it('writes lengths of time in the units that fit', () => {
    expect([0, 20, 480, 3600, 7500, 172_800, 187_200].map(span)).toEqual(['0 min', '< 1 min', '8 min', '1 h', '2 h 5 min', '2 d', '2 d 4 h'])
    expect(time(null)).toBe('–')
  })

  it('writes CSV as spreadsheets of the language read it', () => {
    const rows = [['Name', 'Minutes'], ['A; "b"', 1.5], ['x,y', null], ['=1+1', 2]]
    expect(table(rows, 'pt-BR')).toBe('\ufeffName;Minutes\r\n"A; ""b""";1,5\r\nx,y;\r\n\'=1+1;2\r\n')
    expect(table(rows, 'en')).toBe('\ufeffName,Minutes\r\n"A; ""b""",1.5\r\n"x,y",\r\n\'=1+1,2\r\n')
  })

  it('has periods that end today', () => {
    expect(presets('2026-03-01').map(({ period }) => period.from)).toEqual(['2026-03-01', '2026-02-23', '2026-01-31', '2026-03-01'])
    expect(shift('2024-02-28', 2)).toBe('2024-03-01')
  })

  it('knows which periods the server takes', () => {
    expect(problemOf({ from: '2026-02-02', to: '2026-02-01' })).toBe('order')
    expect(problemOf({ from: '2025-01-01', to: '2026-01-01' })).toBe(null)
    expect(problemOf({ from: '2025-01-01', to: '2026-01-02' })).toBe('long')
  })

  it('reads from the address only what it may say', () => {
    expect(readReportSearch({ from: '2026-01-01', to: 'tomorrow', user: '0190f0a0-0000-7000-8000-000000000001', sector: 'x', more: 1 })).toEqual({ from: '2026-01-01', user: '0190f0a0-0000-7000-8000-000000000001' })
  })
})

it('names the browser and the system of a session', () => {
  expect(device('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36')).toBe('Chrome · Linux')
  expect(device('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1')).toBe('Safari · iPhone')
  expect(device('curl/8.5.0')).toBe('curl/8.5.0')
  expect(device('')).toBe(null)
})
