import { useCallback, useState } from 'react'
import { useMe } from '../api/queries'
import { personal } from '../ui/page'

export type Columns = { views: boolean; details: boolean }

/** readColumns parses the stored choice; columns are open unless they were closed. */
export function readColumns(stored: string | null): Columns {
  const closed = (stored ?? '').split(' ')
  return {
    views: !closed.includes('views'),
    details: !closed.includes('details'),
  }
}

/** useColumns returns which columns are open and a function that opens or closes one. The choice is stored in this browser for each person. */
export function useColumns(): [Columns, (name: keyof Columns) => void] {
  const key = personal('columns', useMe().user.id)
  const [columns, setColumns] = useState(() =>
    readColumns(localStorage.getItem(key)),
  )
  const toggle = useCallback(
    (name: keyof Columns) => {
      const next = readColumns(localStorage.getItem(key))
      next[name] = !next[name]
      localStorage.setItem(
        key,
        (['views', 'details'] as const).filter((one) => !next[one]).join(' '),
      )
      setColumns(next)
    },
    [key],
  )
  return [columns, toggle]
}
