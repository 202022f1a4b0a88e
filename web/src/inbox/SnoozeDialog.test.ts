// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { localTime, setTimeZone } from '../ui/format'
import { presets } from './SnoozeDialog'

it("suggests times in the company's time zone", () => {
  setTimeZone('America/Sao_Paulo')
  expect(
    presets(new Date('2026-11-15T02:30:00.000Z')).map(
      ({ id, at }) => `${id} ${localTime(at)}`,
    ),
  ).toEqual([
    'hour 2026-11-15T00:30',
    'tomorrow 2026-11-15T08:00',
    'monday 2026-11-16T08:00',
  ])
  setTimeZone(undefined)
})
