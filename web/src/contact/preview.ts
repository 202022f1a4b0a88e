import type { TFunction } from 'i18next'
import type { LastMessage, Message } from '../api/types'
import { position } from '../ui/format'
import { noticeText } from './notice'
import { plainText } from '../ui/RichText'

const kinds = {
  image: 'photo',
  audio: 'audio',
  video: 'video',
  document: 'document',
  sticker: 'sticker',
  location: 'location',
  contacts: 'contacts',
  unsupported: 'unsupported',
} as const

/** fileOf returns what is known about a message's file. */
function fileOf(
  message: LastMessage | Message,
): { file_name: string | null; duration_seconds: number | null } | null {
  return 'media' in message ? message.media : message
}

/** kindOf describes a message without text: its type, the length of a recording, or a document's name. */
function kindOf(message: LastMessage | Message, t: TFunction): string | null {
  if (!(message.type in kinds)) return null
  const file = fileOf(message)
  if (message.type === 'document' && file?.file_name) return file.file_name
  const kind = t(`kind.${kinds[message.type as keyof typeof kinds]}`)
  return message.type === 'audio' && file?.duration_seconds
    ? `${kind}, ${position(file.duration_seconds)}`
    : kind
}

/** preview returns a one-line preview of a message. A message with no content was deleted by its author. */
export function preview(
  message: LastMessage | Message | null,
  t: TFunction,
): string {
  if (!message) return ''
  if (message.notice) return noticeText(message.notice, message.text, t)
  const kind = kindOf(message, t)
  const text =
    message.type === 'unsupported' ? '' : plainText(message.text ?? '')
  if (kind === null) return text || t('kind.deleted')
  return text ? `${kind}: ${text}` : kind
}
