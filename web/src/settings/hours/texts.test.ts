import i18next, { type TFunction } from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import { statusText } from './texts'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

const t = ((key: string, values?: object) =>
  values ? `${key} ${JSON.stringify(values)}` : key) as TFunction

it('the status says when it changes, in the time zone of the hours', () => {
  const now = new Date('2026-11-16T14:00:00Z')
  const text = (open: boolean, change: string | null) =>
    statusText(
      {
        open,
        closes_at: open ? change : null,
        next_open_at: open ? null : change,
      },
      'America/Sao_Paulo',
      t,
      now,
    )
  expect(text(true, '2026-11-16T15:00:00Z')).toBe(
    'hours.openUntil {"time":"12:00"}',
  )
  expect(text(false, '2026-11-17T11:00:00Z')).toBe(
    'hours.closedUntilDay {"day":"Tuesday","time":"08:00"}',
  )
  expect(text(true, '2026-12-25T03:00:00Z')).toBe(
    'hours.openUntilDay {"day":"December 25, 2026","time":"00:00"}',
  )
  expect(text(true, null)).toBe('hours.alwaysOpen')
  expect(text(false, null)).toBe('hours.neverOpen')
})
