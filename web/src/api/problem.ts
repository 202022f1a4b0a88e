import type { TFunction } from 'i18next'
import { Failure } from './client'

const known = ['rate_limited', 'insufficient_scope', 'insufficient_role', 'not_found', 'offline', 'limit_reached', 'name_taken', 'uncertain']

/** problemText says in the person's language why the server refused something. */
export function problemText(error: unknown, t: TFunction): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  if (known.includes(error.code)) return t(`refusal.${error.code}`)
  return error.details[0]?.message ?? (error.message || t('errors.unknown'))
}

/** refusedField tells whether an answer refuses a field of the request. */
export function refusedField(error: unknown, field: string): boolean {
  return error instanceof Failure && error.status === 400 && error.details.some((detail) => detail.field === field)
}
