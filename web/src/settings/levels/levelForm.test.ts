import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import type { Policy } from '../../api/types'
import { bodyOf, conflictsOf, draftOf, missingOf } from './levelForm'

const sectors = [
  { id: 'sales', name: 'Sales' },
  { id: 'support', name: 'Support' },
]
const policy = (id: string, sector_ids: string[]): Policy => ({
  id,
  name: id,
  sector_ids,
  first_response_minutes: 15,
  next_response_minutes: null,
  resolution_minutes: 2880,
  clock: 'always',
  warn_percent: 80,
  created_at: '',
  updated_at: '',
})
const t = ((key: string, values?: object) =>
  values ? `${key} ${JSON.stringify(values)}` : key) as unknown as TFunction

describe('the form of a service level', () => {
  it('stores what it shows, without removed departments', () => {
    const vip = policy('VIP', ['sales', 'gone'])
    expect(bodyOf(draftOf(vip, [vip], sectors))).toEqual({
      name: 'VIP',
      sector_ids: ['sales'],
      first_response_minutes: 15,
      next_response_minutes: null,
      resolution_minutes: 2880,
      clock: 'always',
      warn_percent: 80,
    })
  })

  it('starts for all other cases, unless a policy covers them', () => {
    expect(draftOf(null, [], sectors).all).toBe(true)
    expect(draftOf(null, [policy('All', [])], sectors).all).toBe(false)
  })

  it('says which policy covers a department already', () => {
    const others = [policy('VIP', ['sales']), policy('All', [])]
    const draft = draftOf(null, others, sectors)
    const conflicts = (part: object) =>
      conflictsOf({ ...draft, ...part }, others, null, sectors, t)
    expect(conflicts({ sectors: ['support', 'sales'] }).sectors).toBe(
      'levels.sectorTaken {"policy":"VIP","sector":"Sales"}',
    )
    expect(conflicts({ all: true }).sectors).toBe(
      'levels.restTaken {"policy":"All"}',
    )
    expect(conflicts({ name: ' vip ' }).name).toBe('refusal.name_taken')
    expect(conflicts({ sectors: ['support'] })).toEqual({})
    const [vip] = others
    if (!vip) throw new Error('no policy')
    expect(
      conflictsOf(draftOf(vip, others, sectors), others, vip, sectors, t),
    ).toEqual({})
  })

  it('asks for a department and a target', () => {
    const draft = draftOf(null, [], sectors)
    expect(missingOf(draft, t)).toEqual({})
    expect(
      missingOf({ ...draft, all: false, first: null, next: null }, t),
    ).toEqual({ sectors: 'levels.chooseSector', targets: 'levels.noTarget' })
  })
})
