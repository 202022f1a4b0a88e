import i18next, { type TFunction } from 'i18next'
import { reasonText } from '../../api/codes'
import { dateAndTime, number } from '../../ui/format'
import { readable, roleName } from './sentence'

/** NameOf returns the name of something by its id, if the app knows it. */
export type NameOf = (id: string) => string | undefined

const id = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const word = /^[\w*]+$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/

/** fieldName returns the name of a changed field; those of nested objects are separated by dots. */
export const fieldName = (field: string, t: TFunction): string =>
  field
    .split('.')
    .map((one) =>
      i18next.exists(`audit.field.${one}`)
        ? t(`audit.field.${one as 'name'}`)
        : readable(one),
    )
    .join(' › ')
    .replace(/^./u, (first) => first.toLocaleUpperCase())

const isEmpty = (value: unknown): value is null | undefined | '' | [] =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** valueText returns a value before or after a change as text. */
export function valueText(
  field: string,
  value: unknown,
  t: TFunction,
  nameOf: NameOf,
): string {
  const of = (one: unknown) => valueText(field, one, t, nameOf)
  if (isEmpty(value)) return '—'
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  if (typeof value === 'number') return number(value)
  if (typeof value === 'string') {
    if (field === 'role') return roleName(value, t)
    if (field === 'reason' && word.test(value))
      return reasonText(value, {}, t) || value
    const key = `audit.value.${field.split('.').at(-1)}.${value}`
    if (word.test(value) && i18next.exists(key))
      return t(key as 'audit.value.kind.chat')
    if (id.test(value)) return nameOf(value) ?? value
    return time.test(value) ? dateAndTime(value) : value
  }
  if (Array.isArray(value)) return value.map(of).join(', ')
  if (typeof value === 'object') {
    const { name, title } = value as { name?: unknown; title?: unknown }
    const short = name ?? title
    if (typeof short === 'string' && short) return short
    return Object.entries(value)
      .filter(([, one]) => !isEmpty(one))
      .map(
        ([name, one]) =>
          `${fieldName(name, t)}: ${valueText(name, one, t, nameOf)}`,
      )
      .join(', ')
  }
  return JSON.stringify(value)
}
