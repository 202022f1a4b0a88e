import { installed } from '../../ui/page'

/** Known is an emoji with its names in one language. */
export type Known = {
  emoji: string
  annotation: string
  tags?: string[]
  group: number
  order: number
}

/** The categories of the picker, with the groups of Unicode that each holds. */
export const emojiGroups = [
  { id: 'people', groups: [0, 1] },
  { id: 'nature', groups: [3] },
  { id: 'food', groups: [4] },
  { id: 'activity', groups: [6] },
  { id: 'travel', groups: [5] },
  { id: 'objects', groups: [7] },
  { id: 'symbols', groups: [8] },
  { id: 'flags', groups: [9] },
] as const

export type EmojiGroup = (typeof emojiGroups)[number]['id']

/** emojisOf returns the emoji of a category, in Unicode's order. */
export function emojisOf(known: Known[], id: EmojiGroup): Known[] {
  const groups: readonly number[] =
    emojiGroups.find((one) => one.id === id)?.groups ?? []
  return known.filter((one) => groups.includes(one.group))
}

const plain = (text: string) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** findEmojis returns the emoji whose name or tags have a word that starts with the text; accents do not matter. */
export function findEmojis(known: Known[], text: string): Known[] {
  const sought = plain(text.trim())
  const matches = (name: string) => ` ${plain(name)}`.includes(` ${sought}`)
  return known.filter(
    (one) => matches(one.annotation) || one.tags?.some(matches),
  )
}

const storageKey = installed('emoji.recent')
const most = 24

/** recentEmojis returns the emoji last used in this browser, newest first. */
export function recentEmojis(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(kept)
      ? kept.filter((one) => typeof one === 'string')
      : []
  } catch {
    return []
  }
}

/** rememberEmoji remembers that an emoji was used. */
export function rememberEmoji(emoji: string): void {
  try {
    localStorage.setItem(
      storageKey,
      JSON.stringify(
        [emoji, ...recentEmojis().filter((one) => one !== emoji)].slice(
          0,
          most,
        ),
      ),
    )
  } catch {
    // The browser's storage is full.
  }
}
