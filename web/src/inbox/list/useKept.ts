import { useMemo, useRef } from 'react'
import type { Conversation } from '../../api/types'
import { keptAt } from './neighbour'

/**
 * useKept keeps the open conversation in its list, at its old position, although it no longer matches; gone is its id in this case.
 * A filtered list does not show a conversation that it never had.
 */
export function useKept(
  rows: Conversation[],
  open: Conversation | undefined,
  list: string,
  filtered: boolean,
): { rows: Conversation[]; gone: string | undefined } {
  const last = useRef({ list, rows })
  return useMemo(() => {
    if (!open || rows.some((one) => one.id === open.id)) {
      last.current = { list, rows }
      return { rows, gone: undefined }
    }
    const ids = (all: Conversation[]) => all.map((one) => one.id)
    const before = last.current.list === list ? last.current.rows : []
    const place = keptAt(ids(rows), ids(before), open.id)
    if (place === null && filtered) return { rows, gone: undefined }
    const at = place ?? byTime(rows, open)
    return { rows: rows.toSpliced(at, 0, open), gone: open.id }
  }, [rows, open, list, filtered])
}

/** byTime returns the position of a conversation that was opened from elsewhere. */
function byTime(rows: Conversation[], kept: Conversation): number {
  const time = (one: Conversation) =>
    one.last_message?.created_at ?? one.updated_at
  const at = rows.findIndex((one) => time(one) < time(kept))
  return at < 0 ? rows.length : at
}
