import type { TFunction } from 'i18next'
import { dateText } from './texts'
import type { Place } from './week'
import type { Refused } from './WeekEditor'

/** The most periods of a week and exceptions that the server takes. */
const [mostPeriods, mostExceptions] = [50, 400]

const numbered = (name: string, count: number, ends: string[]) => [name, ...Array.from({ length: count }, (_, index) => ends.map((end) => `${name}[${index}]${end}`)).flat()]

type Fields = Record<string, string>

/** The messages of the server about opening hours, each with the name of its translation. */
const messages: [RegExp, 'overlap' | 'order' | 'missing' | 'sameDate' | 'date' | 'noPeriod'][] = [
  [/^overlaps another/, 'overlap'],
  [/^must be later than from/, 'order'],
  [/^must be a time such as/, 'missing'],
  [/^another exception has the same date/, 'sameDate'],
  [/^must be a date such as/, 'date'],
  [/^must have closed: true or periods/, 'noPeriod'],
]

/** wordsOf says in the person's language what the server finds wrong with opening hours. */
export function wordsOf(message: string, t: TFunction): string | undefined {
  const [, key] = messages.find(([pattern]) => pattern.test(message)) ?? []
  if (key) return t(`hours.wrong.${key}`)
  const [, most] = /^must have at most (\d+) (?:periods|exceptions)/.exec(message) ?? []
  return most && t('wrong.many', { n: most })
}

/** atWeek finds the periods of the week that the server refused. */
export const atWeek = {
  fields: numbered('weekly', mostPeriods, ['', '.from', '.to', '.days']),
  place: (wrong: Fields, places: Place[][]): Refused[] =>
    Object.entries(wrong).flatMap(([field, text]) => {
      const [, index] = /^weekly\[(\d+)\]/.exec(field) ?? []
      return index ? (places[Number(index)] ?? []).map((place) => ({ ...place, text })) : []
    }),
}

/** atExceptions says which exceptions the server refused, by their dates. */
export const atExceptions = {
  fields: numbered('exceptions', mostExceptions, ['', '.date', '.periods']),
  place: (wrong: Fields, dates: string[]): string | undefined =>
    Object.entries(wrong).flatMap(([field, text]) => {
      const [, index] = /^exceptions(?:\[(\d+)\])?/.exec(field) ?? []
      if (!field.startsWith('exceptions')) return []
      const date = index ? dates[Number(index)] : undefined
      return [date ? `${dateText(date)}: ${text}` : text]
    }).join(' ') || undefined,
}
