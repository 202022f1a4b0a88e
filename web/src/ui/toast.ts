import { useSyncExternalStore } from 'react'

export type Toast = { message: string; tone: 'plain' | 'red' }

let first: Toast[] = []
let show: ((toast: Toast) => void) | null = null
const watchers = new Set<() => void>()

/** toast shows a short text in the corner. What draws it is loaded with the first one. */
export function toast(message: string, tone: Toast['tone'] = 'plain'): void {
  if (show) return show({ message, tone })
  first = [...first, { message, tone }]
  watchers.forEach((watcher) => watcher())
}

/** takeToasts hands over what waits, and from then on every toast. */
export function takeToasts(receive: (toast: Toast) => void): void {
  show = receive
  first.forEach(receive)
  first = []
}

/** useToastsWanted is true from the first toast on. */
export function useToastsWanted(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => show !== null || first.length > 0,
  )
}
