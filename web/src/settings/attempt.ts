import type { TFunction } from 'i18next'
import { textOptions } from '../api/codes'
import type { Delivery } from '../api/types'

/** attemptText describes the outcome and duration of a delivery attempt. */
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
  const failed = code && (t(`attempt.${code}`, textOptions(params)) || error)
  const outcome = failed ?? t('attempt.answered', { status })
  return t('webhooks.took', { outcome, ms })
}
