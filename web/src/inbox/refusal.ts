import type { TFunction } from 'i18next'
import type { Message } from '../api/types'

export { refusal } from '../api/refusal'

const failures = [
  'uncertain', 'not_delivered', 'not_on_whatsapp', 'service_window_closed', 'channel_disconnected', 'token_rejected', 'token_expired', 'number_not_registered', 'account_restricted', 'media_rejected', 'media_unavailable',
  'template_not_found', 'template_invalid', 'template_paused',
]

/** failureText says in the person's language why a message was not delivered. */
export function failureText(message: Message, t: TFunction): string {
  const { error } = message
  if (!error) return t('message.failed')
  return failures.includes(error.code) ? t(`failure.${error.code}`) : error.message
}
