import type { TFunction } from 'i18next'
import type { Message } from '../../api/types'
import type { Status } from '../../ui/Tick'

/** senderOf returns the sender of a message for the article's accessible name. customer is the name of the conversation. */
export function senderOf(
  message: Message,
  customer: string,
  me: string,
  t: TFunction,
): string {
  if (message.direction === 'inbound') return message.author?.name ?? customer
  if (message.origin === 'phone') return t('conversation.phone')
  if (message.origin === 'automation') return t('conversation.automatic')
  const person =
    message.sent_by?.id === me ? t('conversation.you') : message.sent_by?.name
  if (message.integration)
    return [person, message.integration.name].filter(Boolean).join(' · ')
  return person ?? t('conversation.integration')
}

/** statusOf returns the status of an outbound message, or null. */
export const statusOf = (message: Message): Status | null =>
  message.direction === 'outbound' && message.status !== 'received'
    ? message.status
    : null

/** isNamed reports whether the sender stands in the bubble: for colleagues, integrations and members of a group. */
export const isNamed = (message: Message, me: string, group: boolean) =>
  (message.direction === 'outbound' &&
    (message.sent_by?.id !== me || message.integration !== null)) ||
  group
