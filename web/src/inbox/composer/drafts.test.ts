// @vitest-environment jsdom
import { expect, it } from 'vitest'
import {
  forgetDrafts,
  noteKey,
  ownDrafts,
  readDraft,
  saveDraft,
} from './drafts'

it('drafts belong to one user, and notes are stored apart from replies', () => {
  ownDrafts('ana')
  saveDraft('c', { text: 'answer' })
  saveDraft(noteKey('c'), { text: 'internal' })
  expect([readDraft('c')?.text, readDraft(noteKey('c'))?.text]).toEqual([
    'answer',
    'internal',
  ])
  ownDrafts('caio')
  expect(readDraft('c')).toBeNull()
  ownDrafts('ana')
  expect(readDraft('c')?.text).toBe('answer')
  forgetDrafts()
  expect(readDraft('c')).toBeNull()
})
