import { useQueryClient } from '@tanstack/react-query'
import { useEffect, type RefObject } from 'react'
import { keys } from '../api/keys'
import { usePreferences } from '../api/queries'
import type { Conversation } from '../api/types'
import { useActions } from './actions'
import type { ComposerHandle } from './composer/Composer'
import type { PaneDialog } from './ConversationHeader'

type Options = {
  open: string | undefined
  step: (by: number) => void
  composer: RefObject<ComposerHandle | null>
  setDialog: (dialog: PaneDialog) => void
  onNew: () => void
  onSelect: (id: string) => void
  onBack: () => void
  details: boolean
  closeDetails: () => void
  openDetails: () => void
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

/** useInboxKeys handles the inbox shortcuts outside text fields. */
export function useInboxKeys(options: Options): void {
  const client = useQueryClient()
  const { shortcuts } = usePreferences()
  const actions = useActions()
  useEffect(() => {
    const { open, step, composer, setDialog } = options
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
      a: () => {
        const current = conversation()
        if (current) void actions.take(current)
      },
      u: () => {
        const current = conversation()
        if (!current) return
        void actions.unread(current)
        options.onBack()
      },
      l: () => {
        if (!open) return
        options.openDetails()
        whenThere('#contact-labels', (field) => field.focus())
      },
      x: () => open && options.onSelect(open),
      c: options.onNew,
      '/': () => focus('#conversation-search'),
      Enter: () => open && composer.current?.focus(),
      Escape: () =>
        options.details
          ? options.closeDetails()
          : innerWidth < 800 && open && options.onBack(),
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
      if (event.key === 'g') {
        afterG = true
        setTimeout(() => (afterG = false), 1000)
        return
      }
      if (!shortcuts && event.key !== 'Escape') return
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
}
