import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Figures } from '../api/types'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { average } from './figures'
import classes from './Report.module.css'

type Row = Figures & { id: string; name: string }
type Column = 'name' | 'opened' | 'closed' | 'firstResponse' | 'resolution'

const columns: Column[] = [
  'name',
  'opened',
  'closed',
  'firstResponse',
  'resolution',
]

function valueOf(row: Row, column: Column): string | number | null {
  if (column === 'firstResponse') return row.first_response.average_seconds
  if (column === 'resolution') return row.resolution.average_seconds
  return row[column]
}

/** compare sorts rows without a value last in both directions. */
function compare(a: Row, b: Row, column: Column, up: boolean): number {
  const [x, y] = [valueOf(a, column), valueOf(b, column)]
  if (x === null || y === null) return Number(x === null) - Number(y === null)
  const order =
    typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y)
  return up ? order : -order
}

/** SortedTable lists figures by person or department; clicking a column header sorts by it. */
export function SortedTable({
  title,
  head,
  rows,
}: {
  title: string
  head: string
  rows: Row[]
}) {
  const { t } = useTranslation()
  const id = useId()
  const [{ column, up }, setSort] = useState<{ column: Column; up: boolean }>({
    column: 'opened',
    up: false,
  })
  const sorted = [...rows].sort((a, b) => compare(a, b, column, up))
  const sort = (next: Column) =>
    setSort({ column: next, up: next === column ? !up : next === 'name' })
  return (
    <div className={classes.list}>
      <SectionHead id={id} title={title} />
      {rows.length === 0 ? (
        <p className={classes.nothing}>{t('report.nothing')}</p>
      ) : (
        <div
          className={classes.listTable}
          tabIndex={0}
          role="region"
          aria-labelledby={id}
        >
          <Table aria-labelledby={id} verticalSpacing={6} horizontalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((one) => (
                  <Table.Th
                    key={one}
                    ta={one === 'name' ? undefined : 'right'}
                    aria-sort={
                      one === column
                        ? up
                          ? 'ascending'
                          : 'descending'
                        : 'none'
                    }
                  >
                    <UnstyledButton
                      className={classes.sort}
                      onClick={() => sort(one)}
                    >
                      {one === 'name' ? head : t(`report.${one}`)}
                      {one === column &&
                        (up ? (
                          <IconArrowUp size={13} aria-hidden />
                        ) : (
                          <IconArrowDown size={13} aria-hidden />
                        ))}
                    </UnstyledButton>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sorted.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Th scope="row" fw={500}>
                    {row.name}
                  </Table.Th>
                  <Table.Td ta="right">{number(row.opened)}</Table.Td>
                  <Table.Td ta="right">{number(row.closed)}</Table.Td>
                  <Table.Td ta="right">{average(row.first_response)}</Table.Td>
                  <Table.Td ta="right">{average(row.resolution)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </div>
  )
}
