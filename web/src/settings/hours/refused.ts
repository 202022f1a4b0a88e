import type { TFunction } from 'i18next'
import type { Coded } from '../../api/codes'
import { dateText } from './texts'
import type { Place } from './week'
import type { Refused } from './WeekEditor'

/** The server's limits on periods and exceptions. */
const [mostPeriods, mostExceptions] = [50, 400]

const numbered = (name: string, count: number, ends: string[]) => [
  name,
  ...Array.from({ length: count }, (_, index) =>
    ends.map((end) => `${name}[${index}]${end}`),
  ).flat(),
]

type Fields = Record<string, string>

/** wordsOf returns the text for an error about opening hours. */
export function wordsOf(
  { code, params }: Coded,
  t: TFunction,
): string | undefined {
  if (code === 'duplicate') return t('hours.wrong.sameDate')
  if (code === 'needs') return t('hours.wrong.noPeriod')
  return code === 'malformed' && params.format === 'clock'
    ? t('hours.wrong.missing')
    : undefined
}

/** atWeek returns the weekly periods that the server rejected. */
export const atWeek = {
  fields: numbered('weekly', mostPeriods, ['', '.from', '.to', '.days']),
  place: (wrong: Fields, places: Place[][]): Refused[] =>
    Object.entries(wrong).flatMap(([field, text]) => {
      const [, index] = /^weekly\[(\d+)\]/.exec(field) ?? []
      return index
        ? (places[Number(index)] ?? []).map((place) => ({ ...place, text }))
        : []
    }),
}

/** atExceptions names the exceptions that the server rejected, by date. */
export const atExceptions = {
  fields: numbered('exceptions', mostExceptions, ['', '.date', '.periods']),
  place: (wrong: Fields, dates: string[]): string | undefined =>
    Object.entries(wrong)
      .flatMap(([field, text]) => {
        const [, index] = /^exceptions(?:\[(\d+)\])?/.exec(field) ?? []
        if (!field.startsWith('exceptions')) return []
        const date = index ? dates[Number(index)] : undefined
        return [date ? `${dateText(date)}: ${text}` : text]
      })
      .join(' ') || undefined,
}
