import type { TFunction } from 'i18next'
import { Failure } from '../api/client'
import { refusal } from '../api/refusal'
import type { Job } from '../api/types'

/** The kinds of jobs that the app starts. */
export const jobKinds = [
  'contact_export',
  'contact_erase',
  'contacts_import',
  'chat_import',
] as const

export type { Job }

/** jobName returns what a job does, in the user's language. */
export const jobName = (kind: string, t: TFunction): string =>
  t(`jobs.kind.${kind as (typeof jobKinds)[number]}`, {
    defaultValue: kind.replaceAll('_', ' '),
  })

/** jobProblem returns why a job failed, in the user's language, or null. */
export function jobProblem(
  { error }: Pick<Job, 'error'>,
  t: TFunction,
): string | null {
  if (!error) return null
  if (error.code === 'cancelled') {
    return error.params.reason === 'number_private'
      ? t('jobs.numberPrivate')
      : t('jobs.cancelled')
  }
  const { code, message, params } = error
  return refusal(new Failure(0, code, message, undefined, [], null, params), t)
}

/** FileState says whether a job has a file that the user can download. Only the person who started the job can. */
export type FileState =
  | { state: 'none' | 'expired' | 'notMine' }
  | { state: 'ready'; url: string; until: string | null }

/** fileOf returns the state of a job's file. */
export function fileOf(
  { result }: Pick<Job, 'result'>,
  now = Date.now(),
): FileState {
  if (!result || !('url' in result)) return { state: 'none' }
  const { url, expires_at: end } = result
  const until = typeof end === 'string' ? end : null
  if (!until || Date.parse(until) <= now) return { state: 'expired' }
  return typeof url === 'string'
    ? { state: 'ready', url, until }
    : { state: 'notMine' }
}
