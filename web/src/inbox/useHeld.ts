import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Conversation } from '../api/types'

/** heldOrder keeps the rows of before in their places, with their present content; rows that left the list stay until it is applied. */
export function heldOrder(before: Conversation[], now: Conversation[]): { rows: Conversation[]; updates: number } {
  const present = new Map(now.map((one) => [one.id, one]))
  const rows = before.map((one) => present.get(one.id) ?? one)
  const known = new Set(before.map((one) => one.id))
  const last = before.at(-1)
  const end = last ? now.findIndex((one) => one.id === last.id) : -1
  // Rows behind the last one known are a further page, not an update.
  const added = now.filter((one, index) => !known.has(one.id) && (end < 0 || index < end))
  const further = end < 0 ? [] : now.slice(end + 1).filter((one) => !known.has(one.id))
  const gone = before.filter((one) => !present.has(one.id))
  const orderBefore = before.filter((one) => present.has(one.id)).map((one) => one.id)
  const orderNow = now.filter((one) => known.has(one.id)).map((one) => one.id)
  const moved = orderNow.filter((id, index) => orderBefore[index] !== id).length > 0 ? movedCount(orderBefore, orderNow) : 0
  return { rows: [...rows, ...further], updates: added.length + gone.length + moved }
}

/** movedCount is how many rows have to be taken out to get from one order to the other, counted from the front. */
function movedCount(before: string[], now: string[]): number {
  const rest = [...before]
  let moved = 0
  for (const id of now) {
    while (rest[0] !== undefined && taken.has(rest[0])) rest.shift()
    if (rest[0] === id) rest.shift()
    else {
      moved++
      taken.add(id)
    }
  }
  taken.clear()
  return moved
}
const taken = new Set<string>()

/** useHeld keeps the order of a list while the pointer or the focus is in it. */
export function useHeld(now: Conversation[], held: boolean, list: string): { rows: Conversation[]; updates: number; apply: () => void } {
  const [applied, setApplied] = useState({ list, rows: now })
  const latest = useRef(now)
  latest.current = now
  const hold = held && applied.list === list
  const start = hold && applied.rows.length > 0 ? applied.rows : now
  const apply = useCallback(() => setApplied({ list, rows: latest.current }), [list])
  useEffect(() => {
    if (!hold || applied.rows.length === 0) {
      setApplied((before) => (before.list === list && before.rows === now ? before : { list, rows: now }))
    }
  }, [hold, now, list, applied.rows.length])
  const shown = useMemo(() => (start === now ? { rows: now, updates: 0 } : heldOrder(start, now)), [start, now])
  return { ...shown, apply }
}
