import type { TFunction } from 'i18next'
import type { Delivery } from '../api/types'

/** The server's reasons for an attempt that was not answered, each with the name of its translation. */
const reasons: [RegExp, string][] = [
  [/^cancelled/, 'cancelled'],
  [/^timeout/, 'timeout'],
  [/^refused address/, 'refused'],
  [/^no public address/, 'noAddress'],
  [/^connection failed/, 'connection'],
  [/^tls/, 'tls'],
  [/^header too large/, 'header'],
  [/^bad answer/, 'bad'],
  [/^answer too large/, 'large'],
  [/^not sent: the card/, 'hidden'],
  [/^the event is older/, 'noEvent'],
  [/^the signing secret cannot be read/, 'noSecret'],
]

/** attemptText says how one attempt ended and how long it took. */
export function attemptText({ status_code: status, error, duration_ms: ms }: Delivery['attempts'][number], t: TFunction): string {
  const [, key] = reasons.find(([pattern]) => pattern.test(error ?? '')) ?? []
  const failed = key ? t(`attempt.${key}`) : (error ?? '')
  const answered = status !== null && status >= 300 && status < 400 ? t('attempt.redirect', { status }) : t('webhooks.answered', { status })
  return t('webhooks.took', { outcome: status === null || key ? failed : answered, ms })
}
