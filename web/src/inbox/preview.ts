import type { TFunction } from 'i18next'
import type { Conversation, LastMessage, Message } from '../api/types'
import { duration } from '../ui/format'
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

/** waitedSeconds is how long the customer has waited for an answer, or null. */
export function waitedSeconds(conversation: Conversation, now: number): number | null {
  const since = conversation.attendance?.waiting_since
  return since ? Math.max(0, (now - Date.parse(since)) / 1000) : null
}

/** waitTone is amber after 5 minutes and red after 15. */
export const waitTone = (seconds: number) => (seconds >= 900 ? 'red' : seconds >= 300 ? 'amber' : 'plain')

/** waited writes how long, from one minute on. */
export const waited = (seconds: number) => duration(Math.max(60, seconds))
