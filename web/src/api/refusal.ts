import type { TFunction } from 'i18next'
import { Failure } from './client'
import { reasonText, textOptions, type Coded } from './codes'

/** sentence turns the server's lower-case message into a sentence. */
const sentence = (text: string) =>
  `${text.charAt(0).toLocaleUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** causeText returns why WhatsApp rejected something, or '' if the server does not say. */
const causeText = ({ cause, ...rest }: Coded['params'], t: TFunction) =>
  typeof cause === 'string' ? reasonText(cause, rest, t) : ''

/** fieldText returns what is wrong with a value, in the user's language. */
export function fieldText({ code, params, message }: Coded, t: TFunction) {
  return (
    causeText(params, t) ||
    t(`wrong.${code}`, textOptions(params)) ||
    sentence(message)
  )
}

/** refusal returns why a request failed, in the user's language. responsible is the name of the person the case is assigned to. */
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
    t(`refusal.${error.code}`, textOptions(error.params)) ||
    error.message ||
    t('errors.unknown')
  )
}

/** requestIdOf returns the request id of a failure, with which an operator finds it in the log. */
export const requestIdOf = (error: unknown) =>
  error instanceof Failure ? error.requestId : undefined

/** refusedField reports whether a response rejects a field of the request. */
export function refusedField(error: unknown, field: string): boolean {
  return (
    error instanceof Failure &&
    error.status === 400 &&
    error.details.some((detail) => detail.field === field)
  )
}

/** Problems are the errors of a form: by field, and all others. */
export type Problems = { fields: Record<string, string>; other: string | null }

/** Form lists a form's fields, the field that a taken name belongs to, and texts that override those of codes. */
export type Form = {
  fields?: readonly string[]
  taken?: string
  words?: (detail: Coded, t: TFunction) => string | undefined
}

/** problemsOf returns the errors of a form in the user's language. */
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
    // A detail about the whole body is not about a field of that name.
    if (fields.includes(name) && detail.field !== 'body') found[name] = text
    else rest.push(text)
  }
  return { fields: found, other: rest.join(' ') || null }
}
