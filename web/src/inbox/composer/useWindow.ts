import type { Conversation } from '../../api/types'
import { keys } from '../../api/keys'
import { duration } from '../../ui/format'
import { useCached } from '../../ui/useCached'
import { useNow } from '../../ui/useNow'

/**
 * useWindow returns the state of the 24-hour window: closed, or the time left if it closes within two hours. For a customer who
 * never wrote, the window closed when the conversation started. The server may refuse a message before this browser's clock says so.
 */
export function useWindow(conversation: Conversation): {
  closed: boolean
  neverWrote: boolean
  closesIn: string | null
} {
  useNow() // re-render as time passes
  const refused = useCached<string>(keys.closedWindow(conversation.id))
  const expires = conversation.window_expires_at
  if (!expires) return { closed: false, neverWrote: false, closesIn: null }
  const left = (Date.parse(expires) - Date.now()) / 1000
  if (left <= 0 || refused === expires)
    return {
      closed: true,
      neverWrote: expires === conversation.created_at,
      closesIn: null,
    }
  return {
    closed: false,
    neverWrote: false,
    closesIn: left <= 7200 ? duration(left) : null,
  }
}
