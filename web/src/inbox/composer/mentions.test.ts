import { describe, expect, it } from 'vitest'
import type { Member } from '../../api/types'
import { mentionAt, mentionParts, mentionsIn } from './mentions'

const team = [
  { id: '1', name: 'Ana Ribeiro' },
  { id: '2', name: 'Caio Moreira' },
] as Member[]

describe('mentions', () => {
  it('start with an @ at the start of a word', () => {
    expect(mentionAt('oi @ca', 6)).toEqual({ from: 3, to: 6, text: 'ca' })
    expect(mentionAt('@É', 2)).toEqual({ from: 0, to: 2, text: 'é' })
    expect(mentionAt('ana@example', 11)).toBeNull()
  })

  it('are the people whose full names are in the note', () => {
    expect(
      mentionsIn('@Ana Ribeiro pode ver? Caio Moreira sabe.', team),
    ).toEqual(['1'])
  })

  it('are no shorter names and no beginnings of words', () => {
    const all = [...team, { id: '3', name: 'Ana' }] as Member[]
    expect(mentionsIn('@Ana Ribeiro pode ver?', all)).toEqual(['1'])
    expect(mentionsIn('@Anabela e @Ana2', all)).toEqual([])
    expect(mentionsIn('(@Ana)', all)).toEqual(['3'])
  })
})

describe('the text of a note', () => {
  it('is split at mentions, longer names first', () => {
    const parts = mentionParts('@Ana Ribeiro e @Ana, vejam', [
      { name: 'Ana' },
      { name: 'Ana Ribeiro' },
    ])
    expect(
      parts.map(({ text, person }) => (person ? `[${text}]` : text)).join(''),
    ).toBe('[@Ana Ribeiro] e [@Ana], vejam')
    expect(mentionParts('@Caio sabe', [])).toEqual([
      { text: '@Caio sabe', person: false },
    ])
  })
})
