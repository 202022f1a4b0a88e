import type { Message } from '../../api/types'

const minute = 60_000
const editTime = 15 * minute
const deleteTime = 48 * 60 * minute

/** sentSince returns for how many milliseconds a message has been sent, or Infinity if WhatsApp does not have it or it was deleted. */
const sentSince = (message: Message, now: number) =>
  message.direction === 'outbound' &&
  message.external_id &&
  message.sent_at &&
  message.status !== 'failed' &&
  !message.revoked_at
    ? now - Date.parse(message.sent_at)
    : Infinity

/** canEditSent reports whether the text of a sent message of a linked number can still be edited. */
export const canEditSent = (message: Message, now = Date.now()) =>
  message.type === 'text' &&
  !message.interactive &&
  sentSince(message, now) < editTime

/** canDeleteSent reports whether a sent message of a linked number can still be deleted for everyone. */
export const canDeleteSent = (message: Message, now = Date.now()) =>
  sentSince(message, now) < deleteTime
