import type { Conversation } from '../../api/types'
import { duration } from '../../ui/format'
import { useNow } from '../useNow'

/**
 * useWindow is the state of the 24-hour window: closed, or how long it stays open from two hours on. The window of a customer
 * who never wrote ended when the conversation began.
 */
export function useWindow(conversation: Conversation): {
  closed: boolean
  neverWrote: boolean
  closesIn: string | null
} {
  useNow() // it grows older on the screen
  const expires = conversation.window_expires_at
  if (!expires) return { closed: false, neverWrote: false, closesIn: null }
  const left = (Date.parse(expires) - Date.now()) / 1000
  if (left <= 0)
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
