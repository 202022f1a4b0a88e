import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, type RefObject } from 'react'
import { keys } from '../api/keys'
import { usePreferences } from '../api/queries'
import type { Conversation } from '../api/types'
import { useActions } from './actions'
import type { PaneDialog } from './ConversationHeader'
import type { ComposerFocus } from './useComposerFocus'

type Options = {
  open: string | undefined
  inbox: RefObject<HTMLElement | null>
  focus: ComposerFocus
  step: (by: 1 | -1) => void
  setDialog: (dialog: PaneDialog) => void
  onNew: () => void
  onSelect: (id: string) => void
  onBack: () => void
  onLabels: () => void
  onEscape: () => void
}

/** typing reports whether a key press belongs to a text field or a dialog. */
export function typing(event: KeyboardEvent): boolean {
  const target = event.target
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role="dialog"],[role="alertdialog"],[role="menu"]') !==
      null
  )
}

/** whenThere waits up to two seconds for an element to be rendered. */
function whenThere(
  selector: string,
  task: (element: HTMLElement) => void,
  until = performance.now() + 2000,
): void {
  const found = document.querySelector<HTMLElement>(selector)
  if (found) task(found)
  else if (performance.now() < until)
    requestAnimationFrame(() => whenThere(selector, task, until))
}

/** useInboxKeys handles the inbox shortcuts outside text fields and returns where the person is working. */
export function useInboxKeys(options: Options): () => Place {
  const place = usePlace(options.inbox, options.focus)
  const client = useQueryClient()
  const { shortcuts } = usePreferences()
  const actions = useActions()
  useEffect(() => {
    const { open, step, setDialog } = options
    const { composer } = options.focus
    const conversation = () =>
      open
        ? client.getQueryData<Conversation>(keys.conversation(open))
        : undefined
    const focus = (selector: string) =>
      document.querySelector<HTMLElement>(selector)?.focus()
    const tasks: Record<string, () => void> = {
      j: () => step(1),
      k: () => step(-1),
      r: () => composer.current?.focus('answer'),
      n: () => composer.current?.focus('note'),
      t: () => open && setDialog('transfer'),
      e: () => open && setDialog('close'),
      s: () => open && setDialog('snooze'),
      u: () => {
        const current = conversation()
        if (!current) return
        void actions.unread(current)
        options.onBack()
      },
      l: () => {
        if (!open) return
        options.onLabels()
        whenThere('#contact-labels', (field) => field.focus())
      },
      x: () => open && options.onSelect(open),
      c: options.onNew,
      '/': () => focus('#conversation-search'),
      Enter: () => open && composer.current?.focus(),
      Escape: options.onEscape,
    }
    let afterG = false
    const key = (event: KeyboardEvent) => {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        typing(event)
      )
        return
      if (afterG) return void (afterG = false)
      if (event.key === 'g' && place() === 'list') {
        afterG = true
        setTimeout(() => (afterG = false), 1000)
        return
      }
      if (event.key !== 'Escape' && (!shortcuts || place() !== 'list')) return
      if (
        event.key === 'Enter' &&
        event.target instanceof HTMLElement &&
        event.target.closest('button,a,[role="listbox"]')
      )
        return
      const task = tasks[event.key]
      if (!task) return
      event.preventDefault()
      task()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  })
  return place
}

/** Place is where the person is working: in the list, where keys are shortcuts, in the conversation, where they are text, or elsewhere. */
type Place = 'list' | 'chat' | 'other'

/** isText reports whether a key types a character. AltGr counts as Ctrl+Alt on some systems. */
function isText(event: KeyboardEvent): boolean {
  if (event.isComposing) return false
  const command = event.ctrlKey || event.metaKey || event.altKey
  if (command && !event.getModifierState('AltGraph')) return false
  return (
    event.key === 'Dead' || ([...event.key].length === 1 && event.key !== ' ') // the space bar presses buttons and scrolls
  )
}

/**
 * usePlace returns where the person is working and sends what is typed in the conversation to the composer. Escape leaves the
 * conversation; pressing it with the pointer, or its text field having the focus, enters it again.
 */
function usePlace(
  inbox: RefObject<HTMLElement | null>,
  focus: ComposerFocus,
): () => Place {
  const pressed = useRef<Place>('list')
  const left = useRef(false)
  const place = useRef((): Place => {
    if (focus.expected()) return 'chat'
    return left.current
      ? 'list'
      : (placeOf(document.activeElement) ?? pressed.current)
  })
  useEffect(() => {
    const press = ({ target }: Event) => {
      if (!(target instanceof Element) || !inbox.current?.contains(target))
        return // menus and dialogs
      focus.cancel()
      pressed.current = placeOf(target) ?? 'other'
      if (pressed.current === 'chat') left.current = false
    }
    const enter = ({ target }: Event) => {
      const entered = target instanceof Element ? placeOf(target) : undefined
      if (entered && entered !== 'chat') focus.cancel()
      if (entered !== 'chat' || !(target instanceof HTMLTextAreaElement)) return
      pressed.current = 'chat'
      left.current = false
    }
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        left.current ||= place.current() === 'chat'
        focus.cancel()
        return
      }
      if (typing(event)) return
      const paste =
        (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v'
      if (
        (isText(event) || [' ', 'Backspace'].includes(event.key)) &&
        focus.keep(event.key)
      ) {
        event.preventDefault()
        return event.stopPropagation()
      }
      if (place.current() !== 'chat' || !(paste || isText(event))) return
      focus.composer.current?.focus() // the browser types into it
      event.stopPropagation()
    }
    addEventListener('pointerdown', press, true)
    addEventListener('focusin', enter)
    addEventListener('keydown', key, true)
    return () => {
      removeEventListener('pointerdown', press, true)
      removeEventListener('focusin', enter)
      removeEventListener('keydown', key, true)
    }
  }, [inbox, focus])
  return place.current
}

/** placeOf returns the part of the inbox that contains an element. */
const placeOf = (element: Element | null) =>
  element?.closest<HTMLElement>('[data-place]')?.dataset.place as
    Place | undefined
