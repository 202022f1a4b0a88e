import { apiBase } from '../api/client'
import type { Conversation } from '../api/types'
import { Avatar } from '../ui/Avatar'

/** ConversationAvatar shows the initials of a customer, or the picture of a group. */
export function ConversationAvatar({
  conversation: { id, kind, contact, picture },
  name,
  size,
}: {
  conversation: Conversation
  name: string
  size?: number
}) {
  return (
    <Avatar
      id={contact ?? id}
      name={name}
      size={size}
      group={kind === 'group'}
      picture={picture ? apiBase + picture : undefined}
    />
  )
}
