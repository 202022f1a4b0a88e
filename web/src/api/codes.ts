import i18next, { type TFunction } from 'i18next'

/** Params are what a code of the server needs to be put into words. */
export type Params = Record<string, unknown>

/** Coded is what the server says with a code; its message is English, for logs. */
export type Coded = { code: string; params: Params; message: string }

/** duration writes a number of seconds in whole minutes, hours or days. */
export function duration(seconds: number): string {
  const [unit, size] =
    seconds >= 172_800
      ? (['day', 86_400] as const)
      : seconds >= 7_200
        ? (['hour', 3_600] as const)
        : (['minute', 60] as const)
  return new Intl.NumberFormat(i18next.language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).format(Math.floor(seconds / size))
}

function shown(name: string, value: unknown): unknown {
  if (typeof value === 'number')
    return name.endsWith('_seconds')
      ? duration(value)
      : new Intl.NumberFormat(i18next.language).format(value)
  return Array.isArray(value) ? value.join(', ') : value
}

/** texted are the options of a text for a code. A reason has a text of its own, or that of the code; an unknown code is empty. */
export const texted = (params: Params) => ({
  ...Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, shown(name, value)]),
  ),
  context: params.reason ?? params.format,
  defaultValue: '',
})

/** reasonText says what is wrong with a number, and what WhatsApp itself says of it; empty for a code that the app does not know. */
export function reasonText(code: string, params: Params, t: TFunction): string {
  const { cause, ...rest } = params
  const { date, restrictions, provider_message: said } = rest
  const text = t(`channelText.${code}`, {
    ...texted(params),
    date: typeof date === 'string' ? ` (${date})` : '',
    restrictions: Array.isArray(restrictions)
      ? `: ${restrictions.join(', ').replaceAll('_', ' ')}`
      : '',
  })
  if (!text) return ''
  if (typeof cause === 'string')
    return `${text} ${reasonText(cause, rest, t)}`.trim()
  return typeof said === 'string'
    ? t('channelText.says', { text, words: said })
    : text
}
