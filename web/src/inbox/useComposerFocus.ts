import { useEffect, useLayoutEffect, useState, type RefObject } from 'react'
import type { ComposerHandle } from './composer/Composer'
import { isTouch } from './composer/touch'

/** ComposerFocus focuses the composer of a conversation that may still be loading, and keeps what is typed until then. */
export type ComposerFocus = {
  composer: RefObject<ComposerHandle | null>
  /** focus focuses the composer of a conversation as soon as it is rendered; on touch screens it does nothing. */
  focus: (conversation: string) => void
  /** expected reports whether the person expects to type into the composer, whether or not it has a text field. */
  expected: () => boolean
  /** cancel ends the expectation. */
  cancel: () => void
  /** keep stores a key for a composer that is not rendered yet and reports whether it did. */
  keep: (key: string) => boolean
  /** opened is called when a conversation is shown. */
  opened: (conversation: string | undefined) => void
}

/** makeComposerFocus creates a ComposerFocus. */
export function makeComposerFocus(): ComposerFocus {
  let handle: ComposerHandle | null = null
  let shown: string | undefined
  let wanted: string | undefined
  let typed = ''
  let expected = false
  const deliver = () => {
    if (!handle || wanted === undefined || wanted !== shown) return
    wanted = undefined
    handle.focus()
    if (typed) document.execCommand('insertText', false, typed)
    typed = ''
  }
  return {
    composer: {
      get current() {
        return handle
      },
      set current(next) {
        handle = next
        deliver()
      },
    },
    focus: (conversation) => {
      if (isTouch()) return
      if (wanted !== conversation) typed = ''
      wanted = conversation
      expected = true
      deliver()
    },
    expected: () => expected,
    cancel: () => {
      expected = false
      wanted = undefined
      typed = ''
    },
    keep: (key) => {
      if (wanted === undefined) return false
      if (key === 'Backspace') typed = typed.slice(0, -1)
      else if (key.length === 1) typed += key
      return true
    },
    opened: (conversation) => {
      shown = conversation
      deliver()
    },
  }
}

/** useComposerFocus returns the ComposerFocus of the inbox. */
export function useComposerFocus(open: string | undefined): ComposerFocus {
  const [focus] = useState(makeComposerFocus)
  useLayoutEffect(() => focus.opened(open), [focus, open])
  useEffect(() => focus.cancel, [focus])
  return focus
}
