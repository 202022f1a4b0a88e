import type { TFunction } from 'i18next'
import type { Notice } from '../api/types'
import { position } from '../ui/format'

/** noticeText returns the text of a notice in the user's language. text is the server's English version. */
export function noticeText(
  notice: Notice,
  text: string | null,
  t: TFunction,
): string {
  const {
    duration_seconds: seconds,
    kind,
    method,
    reference,
  } = notice.params as Record<string, unknown>
  const words = t(`notice.${notice.code}`, {
    method: String(method ?? '').replaceAll('_', ' '),
    defaultValue: text ?? t('kind.unsupported'),
  })
  if (typeof seconds === 'number' && seconds > 0)
    return `${words}, ${position(seconds)}`
  if (typeof kind === 'string')
    return `${t(`notice.${kind}`, { defaultValue: '' })}: ${words}`.replace(
      /^: /,
      '',
    )
  return typeof reference === 'string' && reference
    ? `${words}, ${reference}`
    : words
}
