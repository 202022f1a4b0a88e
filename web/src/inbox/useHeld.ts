import { useCallback, useMemo, useReducer, useRef } from 'react'
import type { Conversation } from '../api/types'

/** heldOrder keeps the rows of before in their places, with their present content; rows that left the list stay until it is applied. */
export function heldOrder(before: Conversation[], now: Conversation[]): { rows: Conversation[]; updates: number } {
  const present = new Map<string, Conversation>()
  for (const one of now) present.set(one.id, one)
  const known = new Set<string>()
  const stayed: string[] = []
  const rows = before.map((one) => {
    known.add(one.id)
    const is = present.get(one.id)
    if (is) stayed.push(one.id)
    return is ?? one
  })
  const last = before.at(-1)?.id
  const end = now.findIndex((one) => one.id === last)
  const order: string[] = []
  let added = 0
  for (const [index, one] of now.entries()) {
    if (known.has(one.id)) order.push(one.id)
    else if (end < 0 || index < end) added++
    else rows.push(one) // behind the last one known: a further page, not an update
  }
  return { rows, updates: added + before.length - stayed.length + movedCount(stayed, order) }
}

/** movedCount is how many rows have to be taken out to get from one order to the other, counted from the front. */
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

/** useHeld keeps the order of a list while the pointer or the focus is in it. */
export function useHeld(now: Conversation[], held: boolean, list: string): { rows: Conversation[]; updates: number; apply: () => void } {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const latest = useRef(now)
  latest.current = now
  // The rows that are shown while the order is not held. A state instead would draw the list twice for every change.
  const applied = useRef({ list, rows: now })
  if (!held || applied.current.list !== list || applied.current.rows.length === 0) applied.current = { list, rows: now }
  const start = applied.current.rows
  const apply = useCallback(() => {
    applied.current = { ...applied.current, rows: latest.current }
    draw()
  }, [])
  const shown = useMemo(() => (start === now ? { rows: now, updates: 0 } : heldOrder(start, now)), [start, now])
  return { ...shown, apply }
}
