import type { TFunction } from 'i18next'
import { Failure } from './client'
import { reasonText, texted, type Coded } from './codes'

/** sentence makes a sentence of a text that the server puts behind the name of a field. */
const sentence = (text: string) =>
  `${text.charAt(0).toLocaleUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** causeText says why WhatsApp refused something; empty where the server does not tell. */
const causeText = ({ cause, ...rest }: Coded['params'], t: TFunction) =>
  typeof cause === 'string' ? reasonText(cause, rest, t) : ''

/** fieldText says in the person's language what is wrong with a value. */
export function fieldText({ code, params, message }: Coded, t: TFunction) {
  return (
    causeText(params, t) ||
    t(`wrong.${code}`, texted(params)) ||
    sentence(message)
  )
}

/** refusal says in the person's language why the server refused something; responsible is the name of who may do it. */
export function refusal(
  error: unknown,
  t: TFunction,
  responsible?: string,
): string {
  if (!(error instanceof Failure)) return t('errors.unknown')
  if (error.code === 'attendance_restricted' && responsible)
    return t('refusal.responsible', { name: responsible })
  const [detail] = error.details
  if (error.code === 'invalid_request' && detail) return fieldText(detail, t)
  return (
    causeText(error.params, t) ||
    t(`refusal.${error.code}`, texted(error.params)) ||
    error.message ||
    t('errors.unknown')
  )
}

/** requestIdOf is what an operator needs to find a failed request in the log. */
export const requestIdOf = (error: unknown) =>
  error instanceof Failure ? error.requestId : undefined

/** refusedField tells whether an answer refuses a field of the request. */
export function refusedField(error: unknown, field: string): boolean {
  return (
    error instanceof Failure &&
    error.status === 400 &&
    error.details.some((detail) => detail.field === field)
  )
}

/** Problems are what is wrong with a form: at its fields, and otherwise. */
export type Problems = { fields: Record<string, string>; other: string | null }

/** Form says which fields a form has, which of them a name in use belongs to, and its own words for codes of the server. */
export type Form = {
  fields?: readonly string[]
  taken?: string
  words?: (detail: Coded, t: TFunction) => string | undefined
}

/** problemsOf says in the person's language what the server refused, and where in the form it stands. */
export function problemsOf(
  error: unknown,
  t: TFunction,
  { fields = [], taken = 'name', words }: Form = {},
): Problems {
  if (!(error instanceof Failure))
    return { fields: {}, other: t('errors.unknown') }
  if (error.code === 'name_taken' && fields.includes(taken))
    return {
      fields: {
        [taken]: t(
          taken === 'email' ? 'wrong.emailTaken' : 'refusal.name_taken',
        ),
      },
      other: null,
    }
  if (error.code !== 'invalid_request' || error.details.length === 0)
    return { fields: {}, other: refusal(error, t) }
  const found: Record<string, string> = {}
  const rest: string[] = []
  for (const detail of error.details) {
    const name = detail.field.replace(/^body\./, '')
    const text = words?.(detail, t) ?? fieldText(detail, t)
    if (fields.includes(name)) found[name] = text
    else rest.push(text)
  }
  return { fields: found, other: rest.join(' ') || null }
}
