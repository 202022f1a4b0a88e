import { useSyncExternalStore } from 'react'

let text = ''
const listeners = new Set<() => void>()

/** announce makes screen readers speak a text. */
export function announce(next: string): void {
  text = text === next ? `${next}\u00a0` : next // so that a repeated text is announced again
  listeners.forEach((listener) => listener())
}

/** LiveRegion is the page's only polite live region. */
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
