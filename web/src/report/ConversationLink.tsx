import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Attendance } from '../api/types'
import { atTime } from '../contact/place'

/** ConversationLink opens the conversation of a case where the case begins. */
export function ConversationLink({
  attendance,
  className,
  children,
}: {
  attendance: Pick<Attendance, 'status' | 'conversation' | 'opened_at'>
  className?: string
  children: ReactNode
}) {
  return (
    <Link
      to="/inbox/$view/$conversation"
      params={{
        view: attendance.status === 'open' ? 'open' : 'closed',
        conversation: attendance.conversation,
      }}
      search={{ message: atTime(attendance.opened_at) }}
      className={className}
    >
      {children}
    </Link>
  )
}
