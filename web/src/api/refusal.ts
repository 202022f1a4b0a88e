import type { TFunction } from 'i18next'
import { Failure } from './client'

const known = [
  'attendance_restricted', 'contact_blocked', 'channel_disconnected', 'service_window_closed', 'attendance_not_open', 'not_a_sector_member', 'not_visible',
  'media_too_large', 'media_type_not_allowed', 'rate_limited', 'insufficient_scope', 'insufficient_role', 'not_found', 'offline', 'limit_reached', 'name_taken',
  'template_unavailable', 'uncertain', 'stage_not_empty',
]

/** refusal says in the person's language why the server refused something; responsible is the name of who may do it. */
export function refusal(error: unknown, t: TFunction, responsible?: string): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  if (error.code === 'attendance_restricted' && responsible) return t('refusal.responsible', { name: responsible })
  if (known.includes(error.code)) return t(`refusal.${error.code}`)
  return error.details[0]?.message ?? (error.message || t('errors.unknown'))
}

/** requestIdOf is what an operator needs to find a failed request in the log. */
export const requestIdOf = (error: unknown) => (error instanceof Failure ? error.requestId : undefined)
