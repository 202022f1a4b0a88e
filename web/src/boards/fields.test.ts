import { describe, expect, it } from 'vitest'
import { card } from '../../test/fixtures'
import { fieldsOf, patchOf, rebase } from './fields'

describe('a card that two people change', () => {
  const stored = fieldsOf(card('a', { title: 'Cake', description: 'one' }))

  it("takes the other's value of fields that only they changed", () => {
    const theirs = card('a', {
      title: 'Cake',
      description: 'one',
      priority: 'high',
      version: 2,
    })
    const { fields, conflicts } = rebase(
      stored,
      { ...stored, title: 'Big cake' },
      theirs,
    )
    expect(conflicts).toEqual([])
    expect(patchOf(fieldsOf(theirs), fields)).toEqual({ title: 'Big cake' })
    expect(fields.priority).toBe('high')
  })

  it('reports conflicting links', () => {
    const theirs = card('a', {
      title: 'Cake',
      description: 'one',
      contact: 'bruno',
      conversation: 'c2',
      version: 2,
    })
    const { fields, conflicts } = rebase(
      stored,
      { ...stored, conversation: 'c1' },
      theirs,
    )
    expect(conflicts).toEqual(['conversation'])
    expect(patchOf(fieldsOf(theirs), fields)).toEqual({ conversation: 'c1' })
  })

  it('reports fields that both changed as conflicts', () => {
    const theirs = card('a', {
      title: 'Small cake',
      description: 'two',
      version: 2,
    })
    const { fields, conflicts } = rebase(
      stored,
      { ...stored, title: 'Big cake', description: 'two ' },
      theirs,
    )
    expect(conflicts).toEqual(['title'])
    expect(fields.title).toBe('Big cake')
  })
})
