import type { Member } from '../api/types'

/** mentionAt finds an "@" that begins a word before the cursor, and what follows it. */
export function mentionAt(text: string, cursor: number): { from: number; to: number; text: string } | null {
  const match = /(^|\s)@([\p{L}\p{N}._-]*)$/u.exec(text.slice(0, cursor))
  if (!match) return null
  const from = match.index + (match[1]?.length ?? 0)
  return { from, to: cursor, text: (match[2] ?? '').toLocaleLowerCase() }
}

/** mentionsIn are the people whose full names stand behind an "@" in a note, at most 20. */
export function mentionsIn(text: string, team: Member[]): string[] {
  return team.filter((one) => text.includes(`@${one.name}`)).map((one) => one.id).slice(0, 20)
}
