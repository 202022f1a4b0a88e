import type { TFunction } from 'i18next'
import type { Delivery } from '../api/types'

/** attemptText says how one attempt ended and how long it took. */
export function attemptText(attempt: Delivery['attempts'][number], t: TFunction): string {
  const outcome = attempt.status_code === null ? (attempt.error ?? '') : t('webhooks.answered', { status: attempt.status_code })
  return t('webhooks.took', { outcome, ms: attempt.duration_ms })
}
