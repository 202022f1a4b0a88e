import type { TFunction } from 'i18next'
import { texted } from '../api/codes'
import type { Message } from '../api/types'

export { refusal } from '../api/refusal'

/** failureText says in the person's language why a message was not delivered. */
export function failureText(message: Message, t: TFunction): string {
  const { error } = message
  if (!error) return t('message.failed')
  return (
    t(`failure.${error.code}`, texted(error.params)) ||
    t(`refusal.${error.code}`, texted(error.params)) ||
    error.message
  )
}
