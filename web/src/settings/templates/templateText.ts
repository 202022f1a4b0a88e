import type { MantineColor } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { Template } from '../../api/types'

const tones: Record<string, MantineColor> = {
  approved: 'green',
  pending: 'yellow',
  in_appeal: 'yellow',
  paused: 'yellow',
  flagged: 'yellow',
  rejected: 'red',
  disabled: 'red',
  green: 'green',
  yellow: 'yellow',
  red: 'red',
}

/** toneOf returns the colour of a status or a quality; the badge also has its text. */
export const toneOf = (word: string): MantineColor => tones[word] ?? 'gray'

/** statusText returns a status in the user's language; unknown ones are shown as they are. */
export const statusText = (status: string, t: TFunction) =>
  t(`templates.status.${status}`, { defaultValue: status })

export const categoryText = (category: string, t: TFunction) =>
  t(`templates.category.${category}`, { defaultValue: category })

/** qualityOf returns the quality that Meta reports, or null while it is not known. */
export function qualityOf({ quality }: Template): string | null {
  const known = quality?.toLowerCase() ?? ''
  return known && known !== 'unknown' ? known : null
}

/** reasonOf returns why Meta rejected a template, in plain words; an unknown code is shown as it is. */
export function reasonOf({ reason }: Template, t: TFunction): string | null {
  if (!reason || reason.toUpperCase() === 'NONE') return null
  return t(`templates.reason.${reason.toUpperCase()}`, { defaultValue: reason })
}

/** isReviewed reports whether Meta has decided on a template, so that its status does not change soon. */
export const isReviewed = ({ status }: Template) =>
  !['pending', 'in_appeal', 'pending_deletion'].includes(status)
