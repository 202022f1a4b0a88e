import { describe, expect, it } from 'vitest'
import { keptAt, neighbourOf } from './neighbour'

const before = ['a', 'b', 'c', 'd']

describe('neighbourOf', () => {
  it('returns the next and the previous row', () => {
    expect(neighbourOf(before, before, 'b', 1)).toBe('c')
    expect(neighbourOf(before, before, 'b', -1)).toBe('a')
    expect(neighbourOf(before, before, 'd', 1)).toBeUndefined()
    expect(neighbourOf(before, before, 'a', -1)).toBeUndefined()
  })

  it('uses the old position of a conversation that left the list', () => {
    expect(neighbourOf(['a', 'c', 'd'], before, 'b', 1)).toBe('c')
    expect(neighbourOf(['a', 'c', 'd'], before, 'b', -1)).toBe('a')
    expect(neighbourOf(['new', 'a', 'd'], before, 'b', 1)).toBe('d')
    expect(neighbourOf(['a', 'b', 'c'], before, 'd', 1)).toBeUndefined()
    expect(neighbourOf(['a'], before, 'x', 1)).toBeUndefined()
  })
})

describe('keptAt', () => {
  it('keeps a conversation behind the row that preceded it', () => {
    expect(keptAt(['a', 'c', 'd'], before, 'b')).toBe(1)
    expect(keptAt(['new', 'a', 'c', 'd'], before, 'b')).toBe(2)
    expect(keptAt(['c', 'd'], before, 'b')).toBe(0)
    expect(keptAt(['b', 'c'], before, 'a')).toBe(0)
  })

  it('knows no position in a list that never had it', () => {
    expect(keptAt(['a'], before, 'x')).toBeNull()
  })
})
