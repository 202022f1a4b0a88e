import type { KeyboardEvent } from 'react'

/** submitWithControl submits a form with Ctrl+Enter or Cmd+Enter from any of its fields. */
export function submitWithControl(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
