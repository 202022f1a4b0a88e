import type { TFunction } from 'i18next'
import type { LastMessage, Message } from '../api/types'
import { plainText } from '../ui/RichText'

const kinds = { image: 'photo', audio: 'audio', video: 'video', document: 'document', sticker: 'sticker', location: 'location', contacts: 'contacts', unsupported: 'unsupported' } as const

/** preview is one line that stands for a message. */
export function preview(message: LastMessage | Message | null, t: TFunction): string {
  if (!message) return ''
  if (message.type in kinds) {
    const kind = t(`kind.${kinds[message.type as keyof typeof kinds]}`)
    if (message.type === 'document' && message.text) return plainText(message.text)
    return message.text && message.type !== 'unsupported' ? `${kind}: ${plainText(message.text)}` : kind
  }
  return plainText(message.text ?? '')
}
