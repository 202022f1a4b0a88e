import type { Member, Ref } from '../../api/types'

/** mentionAt returns the "@" word before the cursor, if any. */
export function mentionAt(
  text: string,
  cursor: number,
): { from: number; to: number; text: string } | null {
  const match = /(^|\s)@([\p{L}\p{N}._-]*)$/u.exec(text.slice(0, cursor))
  if (!match) return null
  const from = match.index + (match[1]?.length ?? 0)
  return { from, to: cursor, text: (match[2] ?? '').toLocaleLowerCase() }
}

/** mentionsIn returns the people whose full name follows an "@" in a note, at most 20. */
export function mentionsIn(text: string, team: Member[]): string[] {
  const names = new Set(
    mentionParts(text, team)
      .filter(({ person }) => person)
      .map((part) => part.text),
  )
  return team
    .filter((one) => names.has(`@${one.name}`))
    .map((one) => one.id)
    .slice(0, 20)
}

/**
 * mentionParts splits a note into mentioned names and the text between them. Of names with the same beginning the longest counts,
 * and no letter or digit follows a name.
 */
export function mentionParts(
  text: string,
  people: Pick<Ref, 'name'>[],
): { text: string; person: boolean }[] {
  const names = people
    .map(({ name }) => name)
    .filter((name) => text.includes(`@${name}`))
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (names.length === 0) return text === '' ? [] : [{ text, person: false }]
  return text
    .split(new RegExp(`(@(?:${names.join('|')})(?![\\p{L}\\p{N}]))`, 'u'))
    .map((part, i) => ({ text: part, person: i % 2 === 1 }))
    .filter((part) => part.text !== '')
}
