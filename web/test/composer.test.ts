import { describe, expect, it } from 'vitest'
import type { Member } from '../src/api/types'
import { forgetDrafts, noteKey, ownDrafts, readDraft, saveDraft } from '../src/inbox/drafts'
import { mentionAt, mentionsIn } from '../src/inbox/mentions'

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
