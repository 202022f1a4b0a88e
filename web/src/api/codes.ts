import i18next, { type TFunction } from 'i18next'

/** Params are the values for the text of a code. */
export type Params = Record<string, unknown>

/** Coded is a code from the server with its params. The message is English and meant for logs. */
export type Coded = { code: string; params: Params; message: string }

/** duration formats seconds as whole minutes, hours or days. */
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

function formatParam(name: string, value: unknown): unknown {
  if (typeof value === 'number')
    return name.endsWith('_seconds')
      ? duration(value)
      : new Intl.NumberFormat(i18next.language).format(value)
  return Array.isArray(value) ? value.join(', ') : value
}

/** textOptions returns the i18next options for the text of a code. A reason selects a more specific text; an unknown code yields ''. */
export const textOptions = (params: Params) => ({
  ...Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      formatParam(name, value),
    ]),
  ),
  context: params.reason ?? params.format,
  defaultValue: '',
})

/** reasonText returns what is wrong with a number, including WhatsApp's own message, or '' for an unknown code. */
export function reasonText(code: string, params: Params, t: TFunction): string {
  const { cause, ...rest } = params
  const { date, restrictions, provider_message: said } = rest
  const text = t(`channelText.${code}`, {
    ...textOptions(params),
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
