import type { TFunction } from 'i18next'
import { Failure } from '../api/client'

/** signInProblem says why signing in failed. */
export function signInProblem(error: unknown, t: TFunction): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  switch (error.code) {
    case 'login_failed':
      return t('signIn.wrong')
    case 'code_invalid':
      return t('signIn.codeWrong')
    case 'code_required':
      return t('signIn.codeNeeded')
    case 'rate_limited':
      return t('signIn.throttled', { n: error.retryAfter ?? 1 })
    case 'offline':
      return t('errors.offline')
  }
  return error.details[0]?.message ?? error.message
}
