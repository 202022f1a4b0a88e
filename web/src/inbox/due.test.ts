import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { dueShort, dueText, dueTone, type Due } from './due'

const now = Date.parse('2026-11-17T12:00:00Z')
const due = (at: string, state: Due['state'] = 'pending'): Due => ({
  target: 'first',
  due_at: at,
  state,
})
const t = ((key: string, values?: object) =>
  values ? `${key} ${JSON.stringify(values)}` : key) as unknown as TFunction

describe('the time left until a target is due', () => {
  it.each([
    ['2026-11-17T12:11:40Z', '12 min'],
    ['2026-11-17T12:01:20Z', '1 min'],
    ['2026-11-17T12:00:10Z', '1 min'],
    ['2026-11-17T15:10:00Z', '3 h'],
    ['2026-11-18T14:00:00Z', '26 h'],
    ['2026-11-20T12:00:00Z', '3 d'],
    ['2026-11-17T12:00:00Z', '−1 min'],
    ['2026-11-17T11:54:10Z', '−5 min'],
    ['2026-11-17T09:00:00Z', '−3 h'],
  ])('until %s is %s', (at, text) => {
    expect(dueShort(due(at), now)).toBe(text)
  })

  it('is amber after the warning and red after the breach, even before the server says so', () => {
    const [later, before] = ['2026-11-17T12:30:00Z', '2026-11-17T11:59:59Z']
    expect(dueTone(due(later), now)).toBe('plain')
    expect(dueTone(due(later, 'warned'), now)).toBe('amber')
    expect(dueTone(due(before, 'warned'), now)).toBe('red')
    expect(dueTone(due(before, 'breached'), now)).toBe('red')
  })

  it('is read with the name of the target', () => {
    expect(dueText(due('2026-11-17T14:05:00Z'), now, t)).toBe(
      'sla.left {"target":"sla.first","time":"2 h 5 min"}',
    )
    expect(dueText(due('2026-11-17T11:55:00Z'), now, t)).toBe(
      'sla.late {"target":"sla.first","time":"5 min"}',
    )
  })
})
