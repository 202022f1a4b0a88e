import { useCallback, useMemo, useReducer, useRef } from 'react'
import type { Conversation } from '../../api/types'

/**
 * heldOrder keeps rows in their previous positions with their current content; rows that left the list stay until updates are
 * applied. Most rows are in the same position at both ends of the list, so only those in between are compared by id.
 */
export function heldOrder(
  before: Conversation[],
  now: Conversation[],
): { rows: Conversation[]; updates: number } {
  const last = before.at(-1)?.id
  const end = now.findLastIndex((one) => one.id === last)
  let head = 0
  while (head < before.length && before[head]?.id === now[head]?.id) head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail <= end - head &&
    before[before.length - 1 - tail]?.id === now[end - tail]?.id
  )
    tail++
  return (
    compared(before, now, head, tail, end) ??
    compared(before, now, head, 0, end) ?? { rows: now, updates: 0 }
  )
}

/** compared skips equal rows at both ends. It returns null if a row moved behind the last ones. */
function compared(
  before: Conversation[],
  now: Conversation[],
  head: number,
  tail: number,
  end: number,
) {
  const held = before.slice(head, before.length - tail)
  const known = new Set(held.map((one) => one.id))
  const middle = end < 0 ? now.length : end + 1 - tail
  const behind = end < 0 ? [] : now.slice(end + 1)
  const further = behind.filter((one) => !known.has(one.id)) // a further page, not an update
  if (tail > 0 && further.length < behind.length) return null
  const inside = now.slice(head, middle)
  const present = new Map(
    [...inside, ...behind]
      .filter((one) => known.has(one.id))
      .map((one) => [one.id, one]),
  )
  const added = inside.filter((one) => !known.has(one.id)).length
  const stayed = held.filter((one) => present.has(one.id)).map((one) => one.id)
  return {
    rows: [
      ...now.slice(0, head),
      ...held.map((one) => present.get(one.id) ?? one),
      ...now.slice(middle, end + 1),
      ...further,
    ],
    updates:
      added +
      held.length -
      stayed.length +
      movedCount(stayed, [...present.keys()]),
  }
}

/** movedCount returns how many rows have to be removed to get from one order to the other, counted from the front. */
function movedCount(before: string[], now: string[]): number {
  const taken = new Set<string>()
  let at = 0
  for (const id of now) {
    while (at < before.length && taken.has(before[at] ?? '')) at++
    if (before[at] === id) at++
    else taken.add(id)
  }
  return taken.size
}

/** useHeld keeps the order of a list while it is hovered or focused. */
export function useHeld(
  now: Conversation[],
  held: boolean,
  list: string,
): { rows: Conversation[]; updates: number; apply: () => void } {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const latest = useRef(now)
  latest.current = now
  // The rows shown while the order is not held. State would render the list twice for every change.
  const applied = useRef({ list, rows: now })
  if (
    !held ||
    applied.current.list !== list ||
    applied.current.rows.length === 0
  )
    applied.current = { list, rows: now }
  const start = applied.current.rows
  const apply = useCallback(() => {
    applied.current = { ...applied.current, rows: latest.current }
    draw()
  }, [])
  const shown = useMemo(
    () => (start === now ? { rows: now, updates: 0 } : heldOrder(start, now)),
    [start, now],
  )
  return { ...shown, apply }
}
