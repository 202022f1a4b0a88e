let waiting = false

/** keepKeys keeps what is typed until the field with this id has the focus, and types it there. Escape or ten seconds end it. */
export function keepKeys(id: string): void {
  if (waiting || document.activeElement?.id === id) return
  waiting = true
  let typed = ''
  const end = () => {
    waiting = false
    clearTimeout(timer)
    removeEventListener('keydown', key, true)
    removeEventListener('focusin', focused)
  }
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
      return
    if (event.key === 'Escape') return end()
    if ([...event.key].length === 1) typed += event.key
    else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if (event.key !== 'Enter') return // Enter must not send a message
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const focused = ({ target }: Event) => {
    if (!(target instanceof Element) || target.id !== id) return
    end()
    if (typed) document.execCommand('insertText', false, typed)
  }
  const timer = setTimeout(end, 10_000)
  addEventListener('keydown', key, true)
  addEventListener('focusin', focused)
}
