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
  return team
    .filter((one) => text.includes(`@${one.name}`))
    .map((one) => one.id)
    .slice(0, 20)
}

/** mentionParts splits a note into mentioned names and the text between them. */
export function mentionParts(
  text: string,
  mentions: Ref[],
): { text: string; person: boolean }[] {
  const names = mentions
    .map(({ name }) => `@${name}`)
    .sort((a, b) => b.length - a.length)
  const parts: { text: string; person: boolean }[] = []
  let rest = text
  while (rest !== '') {
    const [first] = names
      .map((name) => ({ name, at: rest.indexOf(name) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)
    if (!first) return [...parts, { text: rest, person: false }]
    if (first.at > 0)
      parts.push({ text: rest.slice(0, first.at), person: false })
    parts.push({ text: first.name, person: true })
    rest = rest.slice(first.at + first.name.length)
  }
  return parts
}
