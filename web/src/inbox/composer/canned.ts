/** cannedAt returns the "/" word before the cursor, if any. */
export function cannedAt(
  text: string,
  cursor: number,
): { from: number; to: number; text: string } | null {
  const match = /(^|\s)\/([\w-]*)$/.exec(text.slice(0, cursor))
  if (!match) return null
  const from = match.index + (match[1]?.length ?? 0)
  return { from, to: cursor, text: (match[2] ?? '').toLowerCase() }
}

/** shortcutOf suggests a shortcut for a title: its first three words in lower case, without accents, joined by hyphens. */
export const shortcutOf = (title: string) =>
  title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .filter(Boolean)
    .slice(0, 3)
    .join('-')
    .slice(0, 32)

/** gapIn returns the next unfilled variable, {{...}}, of a canned reply after a position, wrapping around at the end. */
export function gapIn(
  text: string,
  from = 0,
): { from: number; to: number } | null {
  const match = /\{\{[^{}]*\}\}/.exec(text.slice(from))
  if (match)
    return {
      from: from + match.index,
      to: from + match.index + match[0].length,
    }
  return from > 0 ? gapIn(text) : null
}
