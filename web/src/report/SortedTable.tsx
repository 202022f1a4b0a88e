import { Table } from '@mantine/core'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { CaseLink } from './CaseLink'
import type { On } from './cases'
import { figureHead, figures, type Cell } from './csv'
import { average, share } from './figures'
import { SaveTable } from './SaveTable'
import { SortHead } from './SortHead'
import type { FigureRow, FigureTable } from './tables'
import classes from './Report.module.css'

export type Column =
  'name' | 'opened' | 'closed' | 'share' | 'firstResponse' | 'resolution'

const allColumns: Column[] = [
  'name',
  'opened',
  'closed',
  'firstResponse',
  'resolution',
]

/** The time of a case that a column's figures are counted by. */
const countedBy: Record<Exclude<Column, 'name'>, On> = {
  opened: 'opened',
  closed: 'closed',
  share: 'closed',
  firstResponse: 'answered',
  resolution: 'closed',
}

/** printedRows is the number of rows that a table has on paper, so that a report fits two pages. */
const printedRows = 12

function valueOf(row: FigureRow, column: Column): string | number | null {
  if (column === 'firstResponse') return row.first_response.average_seconds
  if (column === 'resolution') return row.resolution.average_seconds
  if (column === 'share') return row.closed
  return row[column]
}

/** compare sorts rows without a value last in both directions. */
function compare(
  a: FigureRow,
  b: FigureRow,
  column: Column,
  up: boolean,
): number {
  const [x, y] = [valueOf(a, column), valueOf(b, column)]
  if (x === null || y === null) return Number(x === null) - Number(y === null)
  const order =
    typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y)
  return up ? order : -order
}

/** SortedTable lists figures by person, department and so on; clicking a column header sorts by it. */
export function SortedTable({
  table: { title, head, file, rows },
  columns = allColumns,
  empty,
}: {
  table: FigureTable
  columns?: Column[]
  empty?: ReactNode
}) {
  const { t } = useTranslation()
  const id = useId()
  const [{ column, up }, setSort] = useState<{ column: Column; up: boolean }>({
    column: columns[1] ?? 'name',
    up: false,
  })
  const sorted = [...rows].sort((a, b) => compare(a, b, column, up))
  const sort = (next: Column) =>
    setSort({ column: next, up: next === column ? !up : next === 'name' })
  const closed = rows.reduce((sum, row) => sum + row.closed, 0)
  const shown = (row: FigureRow, one: Exclude<Column, 'name'>) => {
    if (one === 'firstResponse') return average(row.first_response)
    if (one === 'resolution') return average(row.resolution)
    if (one === 'share') return share(row.closed, closed)
    return number(row[one])
  }
  const csv = (): Cell[][] => [
    [head, ...figureHead(t)],
    ...sorted.map((row) => [row.name, ...figures(row)]),
  ]
  return (
    <div className={classes.list}>
      <SectionHead
        id={id}
        title={title}
        action={
          rows.length > 0 && <SaveTable title={title} file={file} rows={csv} />
        }
      />
      {rows.length === 0 ? (
        (empty ?? <p className={classes.nothing}>{t('report.nothing')}</p>)
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
                  <SortHead
                    key={one}
                    name={one === 'name' ? head : t(`report.${one}`)}
                    right={one !== 'name'}
                    sorted={one === column ? (up ? 'up' : 'down') : null}
                    onSort={() => sort(one)}
                  />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sorted.map((row, index) => (
                <Table.Tr
                  key={row.id}
                  className={index < printedRows ? undefined : classes.screen}
                >
                  {columns.map((one) =>
                    one === 'name' ? (
                      <Table.Th key={one} scope="row" fw={500}>
                        {row.name}
                      </Table.Th>
                    ) : (
                      <Table.Td key={one} ta="right">
                        <FigureLink row={row} on={countedBy[one]}>
                          {shown(row, one)}
                        </FigureLink>
                      </Table.Td>
                    ),
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {rows.length > printedRows && (
        <p className={classes.paper}>
          {t('report.moreRows', { count: rows.length - printedRows })}
        </p>
      )}
    </div>
  )
}

/** FigureLink links a figure of a row to its cases. Zero and nothing have none. */
function FigureLink({
  row,
  on,
  children,
}: {
  row: FigureRow
  on: On
  children: string
}) {
  const any = children !== '0' && children !== '–'
  return (
    <CaseLink search={any ? { ...row.cases, on } : null}>{children}</CaseLink>
  )
}
