import type { Conversation } from '../api/types'
import { duration } from '../ui/format'
import { useNow } from './useNow'

/** useWindow is the state of the 24-hour window: closed, or how long it stays open from two hours on. */
export function useWindow(conversation: Conversation): { closed: boolean; closesIn: string | null } {
  useNow() // it grows older on the screen
  const expires = conversation.window_expires_at
  if (!expires) return { closed: false, closesIn: null }
  const left = (Date.parse(expires) - Date.now()) / 1000
  if (left <= 0) return { closed: true, closesIn: null }
  return { closed: false, closesIn: left <= 7200 ? duration(left) : null }
}
