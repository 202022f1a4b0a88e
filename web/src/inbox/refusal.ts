import type { TFunction } from 'i18next'
import { Failure } from '../api/client'
import type { Message } from '../api/types'

const known = [
  'attendance_restricted', 'contact_blocked', 'channel_disconnected', 'service_window_closed', 'attendance_not_open', 'not_a_sector_member', 'not_visible',
  'media_too_large', 'media_type_not_allowed', 'rate_limited', 'insufficient_scope', 'insufficient_role', 'not_found', 'offline', 'limit_reached', 'name_taken',
  'template_unavailable', 'uncertain',
]

/** refusal says in the person's language why the server refused something; responsible is the name of who may do it. */
export function refusal(error: unknown, t: TFunction, responsible?: string): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  if (error.code === 'attendance_restricted' && responsible) return t('refusal.responsible', { name: responsible })
  if (known.includes(error.code)) return t(`refusal.${error.code}`)
  return error.details[0]?.message ?? (error.message || t('errors.unknown'))
}

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
