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

/** fileOf is what is known of the file of a message. */
function fileOf(
  message: LastMessage | Message,
): { file_name: string | null; duration_seconds: number | null } | null {
  return 'media' in message ? message.media : message
}

/** kindOf names a message that is no text: its kind, how long a recording is, or the name of a document. */
function kindOf(message: LastMessage | Message, t: TFunction): string | null {
  if (!(message.type in kinds)) return null
  const file = fileOf(message)
  if (message.type === 'document' && file?.file_name) return file.file_name
  const kind = t(`kind.${kinds[message.type as keyof typeof kinds]}`)
  return message.type === 'audio' && file?.duration_seconds
    ? `${kind}, ${position(file.duration_seconds)}`
    : kind
}

/** preview is one line that stands for a message. A text without content is one that its author deleted. */
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
