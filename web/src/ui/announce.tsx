import { useSyncExternalStore } from 'react'

let text = ''
const listeners = new Set<() => void>()

/** announce lets screen readers say a text. */
export function announce(next: string): void {
  text = text === next ? `${next}\u00a0` : next // the same text again is a change
  listeners.forEach((listener) => listener())
}

/** LiveRegion is the one polite region of the page. */
export function LiveRegion() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => text,
  )
  return (
    <div aria-live="polite" className="visually-hidden">
      {current}
    </div>
  )
}
