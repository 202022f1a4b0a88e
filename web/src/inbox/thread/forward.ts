import type { Message, SendBody } from '../../api/types'

/** forwardBody returns the content of a message as a new one: its file and text. Locations, contact cards and buttons are sent as text. */
export function forwardBody(message: Message): Omit<SendBody, 'client_id'> {
  const text = message.interactive?.body ?? message.text
  return {
    ...(text ? { text } : {}),
    ...(message.media_id ? { media_id: message.media_id } : {}),
    ...(message.media_id && message.voice ? { voice: true } : {}),
  }
}

/** canForward reports whether a message has content that can be sent again. */
export const canForward = (message: Message) =>
  !message.revoked_at &&
  !message.notice &&
  message.type !== 'unsupported' &&
  Object.keys(forwardBody(message)).length > 0
