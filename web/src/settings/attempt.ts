import type { TFunction } from 'i18next'
import { texted } from '../api/codes'
import type { Delivery } from '../api/types'

/** attemptText says how one attempt ended and how long it took. */
export function attemptText(
  {
    status_code: status,
    code,
    params,
    error,
    duration_ms: ms,
  }: Delivery['attempts'][number],
  t: TFunction,
): string {
  const failed = code && (t(`attempt.${code}`, texted(params)) || error)
  const outcome = failed ?? t('attempt.answered', { status })
  return t('webhooks.took', { outcome, ms })
}
