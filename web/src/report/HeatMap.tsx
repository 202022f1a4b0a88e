import { Table } from '@mantine/core'
import { useId, type CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { usePhone } from '../ui/usePhone'
import { hourRows } from './csv'
import { hourName, hours, weekdays } from './figures'
import { SaveTable } from './SaveTable'
import classes from './Report.module.css'

type Line = {
  name: string
  full: string
  counts: { key: string; opened: number }[]
}

/** HeatMap shows when cases were opened, by weekday and hour. On a phone the hours are the lines. */
export function HeatMap({ byHour }: { byHour: Report['by_hour'] }) {
  const { t } = useTranslation()
  const id = useId()
  const phone = usePhone()
  const short = weekdays('short')
  const long = weekdays('long')
  const days = byHour.map((counts, day) => ({
    name: short[day] ?? '',
    full: long[day] ?? '',
    counts,
  }))
  const lines: Line[] = phone
    ? hours.map((hour) => ({
        name: String(hour),
        full: hourName(hour),
        counts: days.map((day) => ({
          key: day.full,
          opened: day.counts[hour] ?? 0,
        })),
      }))
    : days.map((day) => ({
        ...day,
        counts: hours.map((hour) => ({
          key: hourName(hour),
          opened: day.counts[hour] ?? 0,
        })),
      }))
  const head = phone
    ? days.map(({ name, full }) => ({ name, full }))
    : hours.map((hour) => ({ name: String(hour), full: hourName(hour) }))
  const most = Math.max(1, ...byHour.flat())
  return (
    <div className={classes.list}>
      <SectionHead
        id={id}
        title={t('report.byHour')}
        text={t('report.byHourText')}
        action={
          <SaveTable
            title={t('report.byHour')}
            file="hours"
            rows={() => hourRows(byHour, t)}
          />
        }
      />
      <div
        className={classes.heat}
        tabIndex={0}
        role="region"
        aria-labelledby={id}
      >
        <Table
          aria-labelledby={id}
          withRowBorders={false}
          verticalSpacing={0}
          horizontalSpacing={0}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <span className="visually-hidden">
                  {phone ? t('report.hour') : t('report.weekday')}
                </span>
              </Table.Th>
              {head.map(({ name, full }) => (
                <Table.Th key={full} abbr={full}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ name, full, counts }) => (
              <Table.Tr key={full}>
                <Table.Th scope="row" abbr={full}>
                  {name}
                </Table.Th>
                {counts.map(({ key, opened }) => (
                  <Table.Td
                    key={key}
                    data-none={opened === 0 || undefined}
                    style={{ '--heat': opened / most } as CSSProperties}
                  >
                    {number(opened)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}
