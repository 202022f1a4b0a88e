import type { TFunction } from 'i18next'
import { textOptions } from '../api/codes'
import type { Message } from '../api/types'

export { refusal } from '../api/refusal'

/** failureText returns why a message was not delivered, in the user's language. */
export function failureText(message: Message, t: TFunction): string {
  const { error } = message
  if (!error) return t('message.failed')
  return (
    t(`failure.${error.code}`, textOptions(error.params)) ||
    t(`refusal.${error.code}`, textOptions(error.params)) ||
    error.message
  )
}
