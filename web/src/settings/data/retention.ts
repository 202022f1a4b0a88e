import type { TFunction } from 'i18next'
import { fileSize, number } from '../../ui/format'
import type { Retention, RetentionPreview } from '../../api/types'

export const parts = ['messages_days', 'media_days', 'audit_days'] as const
export type Part = (typeof parts)[number]

/** limits holds the shortest and longest time of each part, in days. */
export const limits: Record<Part, { least: number; most: number }> = {
  messages_days: { least: 30, most: 36_500 },
  media_days: { least: 30, most: 36_500 },
  audit_days: { least: 90, most: 3650 },
}

const usual = [30, 90, 180, 365, 730, 1825, 3650]

/** choicesOf returns the usual times of a part, in days. */
export const choicesOf = (part: Part) =>
  usual.filter(
    (days) => days >= limits[part].least && days <= limits[part].most,
  )

/** timeText returns a time in days, or in years where it is whole ones. */
export const timeText = (days: number, t: TFunction) =>
  days % 365 === 0
    ? t('data.years', { count: days / 365 })
    : t('data.days', { count: days })

/** isValid reports whether a time is within the limits of its part. */
export const isValid = (part: Part, days: number | null) =>
  days === null ||
  (Number.isInteger(days) &&
    days >= limits[part].least &&
    days <= limits[part].most)

/** isSame reports whether two settings are the same. */
export const isSame = (one: Retention, other: Retention) =>
  parts.every((part) => one[part] === other[part])

/** deletedTexts returns what would be deleted, one text for each kind of thing. */
export function deletedTexts(preview: RetentionPreview, t: TFunction) {
  const { messages, notes, media, media_bytes, audit } = preview
  return [
    messages > 0 &&
      t('data.goes.messages', { count: messages, shown: number(messages) }),
    notes > 0 && t('data.goes.notes', { count: notes, shown: number(notes) }),
    media > 0 &&
      t('data.goes.media', {
        count: media,
        shown: number(media),
        size: fileSize(media_bytes),
      }),
    audit > 0 && t('data.goes.audit', { count: audit, shown: number(audit) }),
  ].filter((text) => text !== false)
}
