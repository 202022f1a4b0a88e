import { describe, expect, it } from 'vitest'
import type { Sector } from '../api/types'
import { bodyOf, changesOf, draftOf } from './sectorForm'

describe('the request of a form', () => {
  const sector: Sector = {
    id: '1',
    name: 'Vendas',
    hours_id: null,
    queues: [],
    members: [
      { id: 'b', name: 'Bia' },
      { id: 'a', name: 'Caio' },
    ],
    distribution: {
      mode: 'round_robin',
      capacity: 10,
      prefer_last: false,
      return_after_minutes: null,
    },
  }
  const first = draftOf(sector)

  it('contains only changed values', () => {
    expect(changesOf(first, first)).toEqual({})
    expect(changesOf(first, { ...first, name: ' Suporte ' })).toEqual({
      name: 'Suporte',
    })
    expect(
      changesOf(first, { ...first, members: ['a', 'b'], hours: 'h' }),
    ).toEqual({ hours_id: 'h' })
    expect(changesOf(first, { ...first, members: ['a'] })).toEqual({
      member_ids: ['a'],
    })
    expect(
      changesOf(first, {
        ...first,
        distribution: { ...first.distribution, capacity: 4 },
      }),
    ).toEqual({ distribution: { capacity: 4 } })
  })

  it('contains everything for a new department, without a cleared capacity', () => {
    const draft = { ...draftOf(null), name: 'Suporte' }
    expect(bodyOf(draft)).toEqual({
      name: 'Suporte',
      member_ids: [],
      hours_id: null,
      distribution: {
        mode: 'manual',
        capacity: 10,
        prefer_last: false,
        return_after_minutes: null,
      },
    })
    expect(
      bodyOf({
        ...draft,
        distribution: { ...draft.distribution, capacity: null },
      }).distribution,
    ).not.toHaveProperty('capacity')
  })
})
