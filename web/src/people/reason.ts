import type { TFunction } from 'i18next'
import { Failure } from '../api/client'
import { refusal } from '../api/refusal'

/** signInProblem returns why sign-in failed. */
export function signInProblem(error: unknown, t: TFunction): string {
  if (error instanceof Failure && error.code === 'rate_limited')
    return t('signIn.throttled', { n: error.retryAfter ?? 1 })
  return refusal(error, t)
}
