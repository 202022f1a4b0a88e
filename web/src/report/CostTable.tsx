import { Table } from '@mantine/core'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { money, price } from '../ui/money'
import { average, type CostRow } from './costs'
import { share } from './figures'
import { SortHead } from './SortHead'
import classes from './Report.module.css'

type Column = 'name' | 'total' | 'share' | 'messages' | 'billable' | 'average'

const columns: Column[] = [
  'name',
  'total',
  'share',
  'messages',
  'billable',
  'average',
]

const valueOf = (row: CostRow, column: Exclude<Column, 'name'>) =>
  column === 'average'
    ? average(row)
    : row[column === 'share' ? 'total' : column]

/** compare sorts rows without a value last in both directions. */
function compare(a: CostRow, b: CostRow, column: Column, up: boolean): number {
  if (column === 'name') return (up ? 1 : -1) * a.name.localeCompare(b.name)
  const [x, y] = [valueOf(a, column), valueOf(b, column)]
  if (x === null || y === null) return Number(x === null) - Number(y === null)
  return up ? x - y : y - x
}

/** CostTable lists costs with a bar for each row. Days stay in their order and have a chart instead, as children. */
export function CostTable({
  title,
  head,
  rows,
  currency,
  inOrder,
  children,
}: {
  title: string
  head: string
  rows: CostRow[]
  currency: string | null
  inOrder: boolean
  children?: ReactNode
}) {
  const { t } = useTranslation()
  const id = useId()
  const first = inOrder ? null : currency ? 'total' : 'messages'
  const [sort, setSort] = useState<{ column: Column; up: boolean } | null>(null)
  const { column, up } = sort ?? { column: first, up: false }
  const sorted = column
    ? [...rows].sort((a, b) => compare(a, b, column, up))
    : rows
  const sortBy = (next: Column) =>
    setSort({ column: next, up: next === column ? !up : next === 'name' })
  const length = (row: CostRow) => row.total ?? row.messages
  const longest = Math.max(...rows.map(length))
  const total = rows.reduce((sum, row) => sum + (row.total ?? 0), 0)
  const shown = (row: CostRow, one: Exclude<Column, 'name'>) => {
    if (one === 'messages' || one === 'billable') return number(row[one])
    const value = valueOf(row, one)
    if (value === null || !currency) return '–'
    if (one === 'share') return share(value, total)
    return (one === 'average' ? price : money)(value, currency)
  }
  return (
    <div className={classes.list}>
      <SectionHead id={id} title={title} />
      {children}
      <div
        className={classes.listTable}
        tabIndex={0}
        role="region"
        aria-labelledby={id}
      >
        <Table
          aria-labelledby={id}
          verticalSpacing={6}
          horizontalSpacing={8}
          className={classes.costs}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((one) => (
                <SortHead
                  key={one}
                  name={one === 'name' ? head : t(`costs.column.${one}`)}
                  right={one !== 'name'}
                  sorted={one === column ? (up ? 'up' : 'down') : null}
                  onSort={() => sortBy(one)}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((row) => (
              <Table.Tr key={row.key}>
                <Table.Th scope="row" fw={500}>
                  <span className={classes.costName}>
                    <span>{row.name}</span>
                    {!inOrder && (
                      <span className={classes.track} aria-hidden>
                        <span
                          className={classes.bar}
                          style={{
                            width: `${longest > 0 ? (100 * length(row)) / longest : 0}%`,
                          }}
                        />
                      </span>
                    )}
                  </span>
                </Table.Th>
                {columns.map(
                  (one) =>
                    one !== 'name' && (
                      <Table.Td key={one} ta="right">
                        {shown(row, one)}
                      </Table.Td>
                    ),
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}
