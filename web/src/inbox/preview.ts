import type { Conversation } from '../api/types'
import { duration } from '../ui/format'

export { preview } from '../contact/preview'

/** waitedSeconds returns how long the customer has been waiting for a reply, or null. */
export function waitedSeconds(
  conversation: Conversation,
  now: number,
): number | null {
  const since = conversation.attendance?.waiting_since
  return since ? Math.max(0, (now - Date.parse(since)) / 1000) : null
}

/** waitTone is amber after 5 minutes and red after 15. */
export const waitTone = (seconds: number) =>
  seconds >= 900 ? 'red' : seconds >= 300 ? 'amber' : 'plain'

/** waitText formats a waiting time of at least one minute. */
export const waitText = (seconds: number) => duration(Math.max(60, seconds))
