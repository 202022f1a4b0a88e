// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { makeComposerFocus } from './useComposerFocus'

const inserted: string[] = []
beforeEach(() => {
  inserted.length = 0
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  document.execCommand = (_, __, text = '') => {
    inserted.push(text)
    return true
  }
})
const handle = () => ({ focus: vi.fn(), addFiles: vi.fn(), write: vi.fn() })

it('focuses a composer that is rendered already', () => {
  const focus = makeComposerFocus()
  const composer = handle()
  focus.opened('a')
  focus.composer.current = composer
  focus.focus('a')
  expect(composer.focus).toHaveBeenCalledOnce()
  expect(focus.keep('x')).toBe(false)
})

it('waits for the composer of the conversation and keeps what is typed until then', () => {
  const focus = makeComposerFocus()
  const [first, second] = [handle(), handle()]
  focus.opened('a')
  focus.composer.current = first
  focus.focus('b')
  focus.composer.current = first // rendered again
  for (const key of ['a', 'g', 'x', 'Backspace', 'o', 'Dead'])
    expect(focus.keep(key)).toBe(true)
  focus.composer.current = null
  focus.opened('b')
  focus.composer.current = second
  expect(first.focus).not.toHaveBeenCalled()
  expect(second.focus).toHaveBeenCalledOnce()
  expect(inserted).toEqual(['ago'])
})

it('forgets what was typed when another conversation is chosen, and does nothing on touch screens', () => {
  const focus = makeComposerFocus()
  focus.focus('a')
  focus.keep('a')
  focus.focus('b')
  const composer = handle()
  focus.opened('b')
  focus.composer.current = composer
  expect(composer.focus).toHaveBeenCalledOnce()
  expect(inserted).toEqual([])
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  focus.focus('b')
  expect(composer.focus).toHaveBeenCalledOnce()
})
