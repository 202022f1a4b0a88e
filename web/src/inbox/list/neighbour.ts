/**
 * neighbourOf returns the conversation that follows the open one in the list, or precedes it if by is -1. If the open one has left the
 * list, its last position in the list (before) counts.
 */
export function neighbourOf(
  rows: string[],
  before: string[],
  open: string,
  by: 1 | -1,
): string | undefined {
  const at = rows.indexOf(open)
  if (at >= 0) return rows[at + by]
  const there = new Set(rows)
  const old = before.indexOf(open)
  if (old < 0) return undefined
  for (let next = old + by; next >= 0 && next < before.length; next += by) {
    const id = before[next]
    if (id !== undefined && there.has(id)) return id
  }
  return undefined
}

/** keptAt returns the index at which a conversation that left the list stays: behind the row that preceded it, or null if the list never had it. */
export function keptAt(
  rows: string[],
  before: string[],
  id: string,
): number | null {
  if (!before.includes(id)) return null
  const previous = neighbourOf(rows, before, id, -1)
  return previous === undefined ? 0 : rows.indexOf(previous) + 1
}
