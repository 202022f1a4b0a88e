import { useSyncExternalStore } from 'react'

export type Toast = { message: string; tone: 'plain' | 'red' }

let first: Toast[] = []
let show: ((toast: Toast) => void) | null = null
const watchers = new Set<() => void>()

/** toast shows a short text in the corner. The component that renders toasts is loaded with the first one. */
export function toast(message: string, tone: Toast['tone'] = 'plain'): void {
  if (show) return show({ message, tone })
  first = [...first, { message, tone }]
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
