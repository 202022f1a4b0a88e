import { describe, expect, it } from 'vitest'
import type { Member } from '../src/api/types'
import { gapIn, shortcutOf } from '../src/inbox/canned'
import { forgetDrafts, noteKey, ownDrafts, readDraft, saveDraft } from '../src/inbox/drafts'
import { dayAfter } from '../src/inbox/MessageFilters'
import { mentionAt, mentionParts, mentionsIn } from '../src/inbox/mentions'

const team = [{ id: '1', name: 'Ana Ribeiro' }, { id: '2', name: 'Caio Moreira' }] as Member[]

describe('mentions', () => {
  it('begin with an @ at the start of a word', () => {
    expect(mentionAt('oi @ca', 6)).toEqual({ from: 3, to: 6, text: 'ca' })
    expect(mentionAt('@É', 2)).toEqual({ from: 0, to: 2, text: 'é' })
    expect(mentionAt('ana@example', 11)).toBeNull()
  })

  it('are the people whose full names stand in the note', () => {
    expect(mentionsIn('@Ana Ribeiro pode ver? Caio Moreira sabe.', team)).toEqual(['1'])
  })
})

describe('the text of a note', () => {
  it('is cut at the people whom it mentions, the longer name first', () => {
    const parts = mentionParts('@Ana Ribeiro e @Ana, vejam', [{ id: '1', name: 'Ana' }, { id: '2', name: 'Ana Ribeiro' }])
    expect(parts.map(({ text, person }) => (person ? `[${text}]` : text)).join('')).toBe('[@Ana Ribeiro] e [@Ana], vejam')
    expect(mentionParts('@Caio sabe', [])).toEqual([{ text: '@Caio sabe', person: false }])
  })
})

describe('canned replies', () => {
  it('get a shortcut from their title', () => {
    expect(shortcutOf('Olá, João! Tudo bem com você?')).toBe('ola-joao-tudo')
    expect(shortcutOf('👍')).toBe('')
  })

  it('have gaps that follow each other', () => {
    const text = 'Setor {{sector}}, até {{protocol}}.'
    expect(gapIn(text)).toEqual({ from: 6, to: 16 })
    expect(gapIn(text, 16)).toEqual({ from: 22, to: 34 })
    expect(gapIn(text, 34)).toEqual({ from: 6, to: 16 })
  })
})

describe('a search in messages', () => {
  it('includes its last day', () => {
    expect([dayAfter('2026-12-31'), dayAfter('2028-02-28')]).toEqual(['2027-01-01', '2028-02-29'])
  })
})

describe('drafts', () => {
  it('belong to one person, and a note is kept apart from the answer', () => {
    ownDrafts('ana')
    saveDraft('c', { text: 'answer' })
    saveDraft(noteKey('c'), { text: 'internal' })
    expect([readDraft('c')?.text, readDraft(noteKey('c'))?.text]).toEqual(['answer', 'internal'])
    ownDrafts('caio')
    expect(readDraft('c')).toBeNull()
    ownDrafts('ana')
    expect(readDraft('c')?.text).toBe('answer')
    forgetDrafts()
    expect(readDraft('c')).toBeNull()
  })
})
