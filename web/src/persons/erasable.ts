import type { TFunction } from 'i18next'
import type { ErasePreview } from '../api/types'
import { fileSize, number } from '../ui/format'

const counted = [
  'messages',
  'files',
  'notes',
  'drafts',
  'scheduled_messages',
  'cards',
] as const

/** erasableTexts returns what an erasure removes, one text for each kind of thing that there is. */
export const erasableTexts = (preview: ErasePreview, t: TFunction): string[] =>
  counted
    .filter((name) => preview[name] > 0)
    .map((name) =>
      t(`persons.goes.${name}`, {
        count: preview[name],
        shown: number(preview[name]),
        size: fileSize(preview.file_bytes),
      }),
    )
