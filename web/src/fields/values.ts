import i18next from 'i18next'
import type { CustomField, FieldValue, FieldValues } from '../api/types'

/** Drafts are the texts in the inputs of fields, by key. A yes/no field has 'true', 'false' or ''. */
export type Drafts = Record<string, string>

const commaLanguages = ['pt', 'es']
const comma = () =>
  commaLanguages.some((one) => i18next.language.startsWith(one))

const upper = (text: string) =>
  text
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^0-9A-Z]/g, '')

/** formatCpf formats the digits of a CPF as far as they are typed: 111.444.777-35. */
export function formatCpf(text: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 11)
  return digits
    .replace(/^(\d{3})(\d)/, '$1.$2')
    .replace(/^(\d{3}\.\d{3})(\d)/, '$1.$2')
    .replace(/^(\d{3}\.\d{3}\.\d{3})(\d)/, '$1-$2')
}

/** formatCnpj formats a CNPJ as far as it is typed: 12.ABC.345/01DE-35. Its first twelve places may be letters. */
export function formatCnpj(text: string): string {
  const all = upper(text).slice(0, 14)
  const first = all.slice(0, 12)
  const check = all.slice(12).replace(/\D/g, '')
  const parts = [first.slice(0, 2), first.slice(2, 5), first.slice(5, 8)]
  const root = parts.filter(Boolean).join('.')
  const branch = first.slice(8)
  return root + (branch ? `/${branch}` : '') + (check ? `-${check}` : '')
}

/** checkDigit computes the next check digit: weights from 2 upwards, from right to left, starting again after the largest. */
function checkDigit(text: string, largest: number): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const value = text.charCodeAt(text.length - 1 - at) - 48
    sum += value * (2 + (at % (largest - 1)))
  }
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}

function hasCheckDigits(text: string, largest: number): boolean {
  const base = text.slice(0, -2)
  const first = checkDigit(base, largest)
  return text === `${base}${first}${checkDigit(`${base}${first}`, largest)}`
}

/** isCpf reports whether a CPF is complete and its check digits are right. */
export function isCpf(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  return (
    digits.length === 11 &&
    !/^(\d)\1*$/.test(digits) &&
    hasCheckDigits(digits, 11)
  )
}

/** isCnpj reports whether a CNPJ is complete and its check digits are right. */
export function isCnpj(text: string): boolean {
  const all = upper(text)
  return (
    /^[0-9A-Z]{12}\d{2}$/.test(all) &&
    !/^(.)\1*$/.test(all) &&
    hasCheckDigits(all, 9)
  )
}

/** parseNumber reads a number as people write it in the user's language. It returns null if it is none. */
export function parseNumber(text: string): number | null {
  const plain = text.replace(/[\s\u00a0]/g, '')
  const point = comma()
    ? plain.replace(/\.(?=\d{3}(\D|$))/g, '').replace(',', '.')
    : plain.replace(/,(?=\d{3}(\D|$))/g, '')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(point) ? Number(point) : null
}

const writeNumber = (value: number) =>
  comma() ? String(value).replace('.', ',') : String(value)

/** linkOf completes an address that was typed without its scheme. It returns null if it is not an address of the web. */
export function linkOf(text: string): string | null {
  const complete = /^https?:\/\//i.test(text)
  const whole = complete ? text : `https://${text}`
  try {
    const { hostname } = new URL(whole)
    return /\s/.test(text) || (!complete && !/^[^:/?#]+\.\w/.test(text))
      ? null
      : hostname && whole
  } catch {
    return null
  }
}

/** draftOf returns a stored value as the text of its input. */
export function draftOf(
  { type }: Pick<CustomField, 'type'>,
  value: unknown,
): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return writeNumber(value)
  const text = String(value)
  if (type === 'cpf') return formatCpf(text)
  if (type === 'cnpj') return formatCnpj(text)
  return text
}

/** typed formats what was typed so far. */
export function typed({ type }: Pick<CustomField, 'type'>, text: string) {
  if (type === 'cpf') return formatCpf(text)
  if (type === 'cnpj') return formatCnpj(text)
  return text
}

/** Wrong is why a draft cannot be stored; its text is field.wrong.{why}. */
export type Wrong = 'number' | 'date' | 'link' | 'cpf' | 'cnpj'

/** valueOf returns the value of a draft, null if it is empty, or why it cannot be stored. */
export function valueOf(
  { type }: Pick<CustomField, 'type'>,
  draft: string,
): { value: FieldValue | null } | { wrong: Wrong } {
  const text = draft.trim()
  if (text === '') return { value: null }
  switch (type) {
    case 'number': {
      const value = parseNumber(text)
      return value === null ? { wrong: 'number' } : { value }
    }
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text)
        ? { value: text }
        : { wrong: 'date' }
    case 'bool':
      return { value: text === 'true' }
    case 'link': {
      const value = linkOf(text)
      return value === null ? { wrong: 'link' } : { value }
    }
    case 'cpf':
      return isCpf(text) ? { value: text } : { wrong: 'cpf' }
    case 'cnpj':
      return isCnpj(text) ? { value: text } : { wrong: 'cnpj' }
    default:
      return { value: text }
  }
}

/** draftsOf returns the texts of the inputs for all stored values. */
export const draftsOf = (fields: CustomField[], values: FieldValues): Drafts =>
  Object.fromEntries(
    fields.map((field) => [field.key, draftOf(field, values[field.key])]),
  )

/** readDrafts returns the values that the drafts of a form change, and what is wrong with the others. */
export function readDrafts(
  fields: CustomField[],
  drafts: Drafts,
  stored: FieldValues = {},
): { values: Record<string, FieldValue | null>; wrong: Record<string, Wrong> } {
  const values: Record<string, FieldValue | null> = {}
  const wrong: Record<string, Wrong> = {}
  for (const field of fields) {
    const draft = drafts[field.key] ?? ''
    if (draft === draftOf(field, stored[field.key])) continue
    const read = valueOf(field, draft)
    if ('wrong' in read) wrong[field.key] = read.wrong
    else if (read.value !== (stored[field.key] ?? null))
      values[field.key] = read.value
  }
  return { values, wrong }
}

/** keyOf proposes the key of a field from its name. */
export const keyOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 32)
    .replace(/^_+|_+$/g, '')

/** missing returns the fields that must be filled in before a case is closed, and are not. */
export const missing = (
  fields: CustomField[] | undefined,
  values: FieldValues | undefined,
): CustomField[] =>
  (fields ?? []).filter(
    (one) =>
      one.required_on_close &&
      (values?.[one.key] === undefined || values[one.key] === null),
  )

/** keyed returns the details of a refusal that name a field, such as fields.order. */
export const keyed = <T extends { field: string }>(
  details: T[],
  fields: CustomField[],
): [CustomField, T][] =>
  fields.flatMap((field) =>
    details
      .filter(
        (one) => one.field.replace(/^body\./, '') === `fields.${field.key}`,
      )
      .map((one): [CustomField, T] => [field, one]),
  )
