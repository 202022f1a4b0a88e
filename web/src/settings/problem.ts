import type { TFunction } from 'i18next'
import { Failure } from '../api/client'

/** Problems are what is wrong with a form: at its fields, and otherwise. */
export type Problems = { fields: Record<string, string>; other: string | null }

export const noProblems: Problems = { fields: {}, other: null }

const known = ['rate_limited', 'insufficient_scope', 'insufficient_role', 'not_found', 'offline', 'limit_reached']

/** sentence makes a sentence of a text that the server puts behind the name of a field. */
const sentence = (text: string) => `${text.charAt(0).toLocaleUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** problemsOf says in the person's language what the server refused. A name that is in use stands at the field taken. */
export function problemsOf(error: unknown, t: TFunction, fields: readonly string[] = [], taken = 'name'): Problems {
  if (!(error instanceof Failure)) return { fields: {}, other: t('errors.unknown') }
  if (error.code === 'name_taken' && fields.includes(taken)) return { fields: { [taken]: t(taken === 'email' ? 'settings.emailTaken' : 'refusal.name_taken') }, other: null }
  if (known.includes(error.code)) return { fields: {}, other: t(`refusal.${error.code}`) }
  const found: Record<string, string> = {}
  const rest: string[] = []
  for (const { field, message } of error.details) {
    const name = field.replace(/^body\./, '')
    if (!fields.includes(name)) rest.push(sentence(message))
    else if (name === 'email') found[name] = t('settings.emailWrong')
    else if (name === 'phone' || name === 'from') found[name] = t('settings.phoneWrong')
    else found[name] = sentence(message)
  }
  const none = Object.keys(found).length === 0 && rest.length === 0
  return { fields: found, other: none ? error.message || t('errors.unknown') : rest.join(' ') || null }
}
