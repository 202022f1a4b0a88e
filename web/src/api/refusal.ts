import type { TFunction } from 'i18next'
import { Failure } from './client'

/** What the server finds wrong with a value, by its message; a number in the message stands in the text, too. */
const rules: [RegExp, string][] = [
  [/^(is required|must not be (empty|null))/, 'required'],
  [/^must have at least (\d+) characters/, 'short'],
  [/^must have at most (\d+) characters/, 'long'],
  [/^must have at most (\d+) entries/, 'many'],
  [/^must be at least (\d+)/, 'least'],
  [/^must be at most (\d+)/, 'most'],
  [/^must be in the future/, 'future'],
  [/^must be an e-mail address/, 'email'],
  [/^must be a phone number/, 'phone'],
  [/^there is no such/, 'gone'],
  [/is the only viewer/, 'onlyViewer'],
  [/the only owner|without an owner/, 'onlyOwner'],
]

/** sentence makes a sentence of a text that the server puts behind the name of a field. */
const sentence = (text: string) => `${text.charAt(0).toLocaleUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** fieldText says in the person's language what is wrong with a value. */
export function fieldText(message: string, t: TFunction): string {
  for (const [pattern, key] of rules) {
    const [found, ...parts] = pattern.exec(message) ?? []
    if (found) return t(`wrong.${key}`, { n: parts[0] })
  }
  return t('wrong.other', { text: sentence(message) })
}

/** refusal says in the person's language why the server refused something; responsible is the name of who may do it. */
export function refusal(error: unknown, t: TFunction, responsible?: string): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  if (error.code === 'attendance_restricted' && responsible) return t('refusal.responsible', { name: responsible })
  if (error.code === 'service_window_closed' && error.params.reason === 'never_wrote') return t('refusal.never_wrote')
  const [detail] = error.details
  if (error.code === 'invalid_request' && detail) return fieldText(detail.message, t)
  return t(`refusal.${error.code}`, { defaultValue: error.message || t('errors.unknown') })
}

/** requestIdOf is what an operator needs to find a failed request in the log. */
export const requestIdOf = (error: unknown) => (error instanceof Failure ? error.requestId : undefined)

/** refusedField tells whether an answer refuses a field of the request. */
export function refusedField(error: unknown, field: string): boolean {
  return error instanceof Failure && error.status === 400 && error.details.some((detail) => detail.field === field)
}

/** Problems are what is wrong with a form: at its fields, and otherwise. */
export type Problems = { fields: Record<string, string>; other: string | null }

/** Form says which fields a form has, which of them a name in use belongs to, and its own words for messages of the server. */
export type Form = { fields?: readonly string[]; taken?: string; words?: (message: string, t: TFunction) => string | undefined }

/** problemsOf says in the person's language what the server refused, and where in the form it stands. */
export function problemsOf(error: unknown, t: TFunction, { fields = [], taken = 'name', words }: Form = {}): Problems {
  if (!(error instanceof Failure)) return { fields: {}, other: t('errors.unknown') }
  if (error.code === 'name_taken' && fields.includes(taken)) return { fields: { [taken]: t(taken === 'email' ? 'wrong.emailTaken' : 'refusal.name_taken') }, other: null }
  if (error.code !== 'invalid_request' || error.details.length === 0) return { fields: {}, other: words?.(error.message, t) ?? refusal(error, t) }
  const found: Record<string, string> = {}
  const rest: string[] = []
  for (const { field, message } of error.details) {
    const name = field.replace(/^body\./, '')
    const text = words?.(message, t) ?? fieldText(message, t)
    if (fields.includes(name)) found[name] = text
    else rest.push(text)
  }
  return { fields: found, other: rest.join(' ') || null }
}
