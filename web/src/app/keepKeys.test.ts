// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { keepKeys } from './keepKeys'

const press = (key: string) =>
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  )
const typed = vi.fn()

beforeEach(() => {
  typed.mockClear()
  document.execCommand = typed
  document.body.innerHTML = '<textarea id="other"></textarea><input id="find">'
  document.getElementById('other')?.focus()
})

it('types what was pressed before the field had the focus', () => {
  keepKeys('find')
  expect(['l', 'j', 'Backspace', 'i', 'Enter'].map(press)).not.toContain(true)
  document.getElementById('find')?.focus()
  expect(typed.mock.calls).toEqual([['insertText', false, 'li']])
  expect(press('a')).toBe(true)
})

it('ends with Escape', () => {
  keepKeys('find')
  press('l')
  press('Escape')
  expect(press('a')).toBe(true)
  document.getElementById('find')?.focus()
  expect(typed).not.toHaveBeenCalled()
})
