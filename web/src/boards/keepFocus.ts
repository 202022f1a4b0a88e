/** time is how long a moved card may take to render in its new position, in milliseconds. */
const time = 3000

/**
 * keepFocus restores the focus of a moved card, which is a new element in its new position. It stops when the user presses a key
 * or the pointer.
 */
export function keepFocus(card: string): void {
  const restore = () => {
    if (document.activeElement === document.body)
      document
        .querySelector<HTMLElement>(`[data-card="${card}"] > button`)
        ?.focus()
  }
  const watch = new MutationObserver(restore)
  const stopped = new AbortController()
  const stop = () => {
    watch.disconnect()
    stopped.abort()
  }
  watch.observe(document.body, { childList: true, subtree: true })
  for (const kind of ['keydown', 'pointerdown'])
    addEventListener(kind, stop, { signal: stopped.signal, capture: true })
  setTimeout(stop, time)
}
