// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import {
  emojisOf,
  findEmojis,
  recentEmojis,
  rememberEmoji,
  type Known,
} from './emojis'

const known: Known[] = [
  { emoji: '😀', annotation: 'rosto risonho', group: 0, order: 1 },
  { emoji: '👍', annotation: 'polegar para cima', group: 1, order: 2 },
  { emoji: '☕', annotation: 'café', tags: ['bebida'], group: 4, order: 3 },
]
const shown = (found: Known[]) => found.map((one) => one.emoji).join('')

describe('emoji', () => {
  beforeEach(() => localStorage.clear())

  it('are found by the start of a word of their name or tags, without accents', () => {
    expect(shown(findEmojis(known, 'cafe'))).toBe('☕')
    expect(shown(findEmojis(known, ' Cim'))).toBe('👍')
    expect(shown(findEmojis(known, 'beb'))).toBe('☕')
    expect(shown(findEmojis(known, 'isonho'))).toBe('')
  })

  it('have categories', () => {
    expect(shown(emojisOf(known, 'people'))).toBe('😀👍')
    expect(shown(emojisOf(known, 'food'))).toBe('☕')
  })

  it('are remembered once each, newest first', () => {
    rememberEmoji('😀')
    rememberEmoji('👍')
    rememberEmoji('😀')
    expect(recentEmojis()).toEqual(['😀', '👍'])
    for (let n = 0; n < 40; n++) rememberEmoji(String(n))
    expect(recentEmojis()).toHaveLength(24)
    localStorage.setItem('recado.emoji.recent', '{')
    expect(recentEmojis()).toEqual([])
  })
})
