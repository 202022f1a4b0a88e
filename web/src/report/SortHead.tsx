import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import classes from './Report.module.css'

/** SortHead is the header of a column; clicking it sorts the table by the column. */
export function SortHead({
  name,
  right,
  sorted,
  onSort,
}: {
  name: string
  right: boolean
  sorted: 'up' | 'down' | null
  onSort: () => void
}) {
  return (
    <Table.Th
      ta={right ? 'right' : undefined}
      aria-sort={
        sorted === 'up'
          ? 'ascending'
          : sorted === 'down'
            ? 'descending'
            : 'none'
      }
    >
      <UnstyledButton className={classes.sort} onClick={onSort}>
        {name}
        {sorted === 'up' && <IconArrowUp size={13} aria-hidden />}
        {sorted === 'down' && <IconArrowDown size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}
