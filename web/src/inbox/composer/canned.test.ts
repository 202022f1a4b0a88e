import { describe, expect, it } from 'vitest'
import { cannedAt, gapIn, shortcutOf } from './canned'

describe('canned replies', () => {
  it('get a shortcut from their title', () => {
    expect(shortcutOf('Olá, João! Tudo bem com você?')).toBe('ola-joao-tudo')
    expect(shortcutOf('👍')).toBe('')
  })

  it('have variables to step through', () => {
    const text = 'Setor {{sector}}, até {{protocol}}.'
    expect(gapIn(text)).toEqual({ from: 6, to: 16 })
    expect(gapIn(text, 16)).toEqual({ from: 22, to: 34 })
    expect(gapIn(text, 34)).toEqual({ from: 6, to: 16 })
  })

  it('are found at the cursor', () => {
    expect(cannedAt('oi /ho', 6)).toEqual({ from: 3, to: 6, text: 'ho' })
    expect(cannedAt('http://x', 8)).toBeNull()
    expect(gapIn('a {{contact.name}} b')).toEqual({ from: 2, to: 18 })
  })
})
