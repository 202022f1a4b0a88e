import { useSyncExternalStore } from 'react'

/** ToastAction is a button in a toast, such as "Undo". */
export type ToastAction = { label: string; run: () => void }

export type Toast = {
  message: string
  tone: 'plain' | 'red'
  action?: ToastAction
}

let first: Toast[] = []
let show: ((toast: Toast) => void) | null = null
const watchers = new Set<() => void>()

/** toast shows a short text in the corner. The component that renders toasts is loaded with the first one. */
export function toast(
  message: string,
  tone: Toast['tone'] = 'plain',
  action?: ToastAction,
): void {
  if (show) return show({ message, tone, action })
  first = [...first, { message, tone, action }]
  watchers.forEach((watcher) => watcher())
}

/** takeToasts passes the queued toasts, and all later ones, to a listener. */
export function takeToasts(receive: (toast: Toast) => void): void {
  show = receive
  first.forEach(receive)
  first = []
}

/** useToastsWanted returns true once a toast has been shown. */
export function useToastsWanted(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => show !== null || first.length > 0,
  )
}
