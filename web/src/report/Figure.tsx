import { ActionIcon, Table } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { useId, useState, type ReactNode } from 'react'
import { SectionHead } from '../ui/Layout'
import type { Cell } from './csv'
import { SaveTable } from './SaveTable'
import classes from './Report.module.css'

type Props = {
  title: string
  show: string
  hide: string
  head: string[]
  rows: { key: string; cells: ReactNode[] }[]
  file: string
  csv: () => Cell[][]
  children: ReactNode
}

/** Figure is a chart that can be switched to a table. The chart itself is hidden from screen readers. */
export function Figure({
  title,
  show,
  hide,
  head,
  rows,
  file,
  csv,
  children,
}: Props) {
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  return (
    <figure aria-labelledby={id} className={classes.figure}>
      <figcaption className={classes.caption}>
        <SectionHead
          id={id}
          title={title}
          action={
            <div className={classes.tools}>
              <ActionIcon
                className={classes.control}
                variant="subtle"
                color="gray"
                size={28}
                aria-label={asTable ? hide : show}
                title={asTable ? hide : show}
                onClick={() => setAsTable(!asTable)}
              >
                {asTable ? <IconChartBar size={18} /> : <IconTable size={18} />}
              </ActionIcon>
              <SaveTable title={title} file={file} rows={csv} />
            </div>
          }
        />
      </figcaption>
      {asTable ? (
        <div
          className={classes.dayTable}
          data-columns={head.length}
          tabIndex={0}
          role="region"
          aria-label={title}
        >
          <Table aria-label={title} stickyHeader verticalSpacing={5}>
            <Table.Thead>
              <Table.Tr>
                {head.map((name, column) => (
                  <Table.Th key={name} ta={column > 0 ? 'right' : undefined}>
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ key, cells }) => (
                <Table.Tr key={key}>
                  {cells.map((cell, column) => (
                    <Table.Td
                      key={head[column]}
                      ta={column > 0 ? 'right' : undefined}
                    >
                      {cell}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <div className={classes.chart} aria-hidden>
          {children}
        </div>
      )}
    </figure>
  )
}
