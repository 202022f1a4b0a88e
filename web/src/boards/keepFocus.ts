/** time is how long a moved card may take to be drawn at its new place, in milliseconds. */
const time = 3000

/**
 * keepFocus gives the focus back to a card that is moved. At its new place it is a new element, and the focus of the old one is lost.
 * It ends when the person presses a key or the pointer.
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
