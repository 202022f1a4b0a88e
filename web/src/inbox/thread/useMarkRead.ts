import { useEffect, useState } from 'react'
import type { Conversation } from '../../api/types'

/** useMarkRead marks a conversation as read after its end was visible for a second while the window had the focus. */
export function useMarkRead(
  conversation: Conversation,
  visible: boolean,
  read: (conversation: Conversation) => Promise<boolean>,
): void {
  const [focused, setFocused] = useState(document.hasFocus())
  useEffect(() => {
    const change = () => setFocused(document.hasFocus())
    addEventListener('focus', change)
    addEventListener('blur', change)
    return () => {
      removeEventListener('focus', change)
      removeEventListener('blur', change)
    }
  }, [])
  const due = visible && focused && conversation.unread
  useEffect(() => {
    if (!due) return
    const timer = setTimeout(() => void read(conversation), 1000)
    return () => clearTimeout(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- one timer per conversation and state
  }, [due, conversation.id, conversation.unread_count])
}
