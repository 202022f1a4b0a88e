import type { Conversation } from '../api/types'
import { duration } from '../ui/format'

export { preview } from '../contact/preview'
export { waitTone } from '../ui/format'

/** waitedSeconds returns how long the customer has been waiting for a reply, or null. */
export function waitedSeconds(
  conversation: Conversation,
  now: number,
): number | null {
  const since = conversation.attendance?.waiting_since
  return since ? Math.max(0, (now - Date.parse(since)) / 1000) : null
}

/** waitText formats a waiting time of at least one minute. */
export const waitText = (seconds: number) => duration(Math.max(60, seconds))
