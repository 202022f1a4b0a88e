/** cannedAt finds a "/" that begins a word before the cursor, and what follows it. */
export function cannedAt(text: string, cursor: number): { from: number; to: number; text: string } | null {
  const match = /(^|\s)\/([\w-]*)$/.exec(text.slice(0, cursor))
  if (!match) return null
  const from = match.index + (match[1]?.length ?? 0)
  return { from, to: cursor, text: (match[2] ?? '').toLowerCase() }
}

/** gapIn finds the first variable of a canned reply that has no value: {{...}}. */
export function gapIn(text: string): { from: number; to: number } | null {
  const match = /\{\{[^{}]*\}\}/.exec(text)
  return match ? { from: match.index, to: match.index + match[0].length } : null
}
