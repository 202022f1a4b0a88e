import type { TFunction } from 'i18next'
import type { Figures, Ref, Report } from '../api/types'
import { none, type CaseSearch } from './cases'

/** FigureRow is one line of a table: the figures of a person, a department, a channel, a label or a reason, and the cases they count. */
export type FigureRow = Figures & {
  id: string
  name: string
  cases: CaseSearch
}

/** FigureTable is a table of the report. */
export type FigureTable = {
  file: string
  title: string
  head: string
  rows: FigureRow[]
}

type Filter = 'user' | 'sector' | 'channel' | 'label' | 'reason'

/** rowsOf returns the rows of a table; one without a person, department and so on has another name. */
const rowsOf = <T extends Figures>(
  lines: T[],
  filter: Filter,
  of: (line: T) => Ref | null,
  without = '',
): FigureRow[] =>
  lines.map((line) => ({
    ...line,
    id: of(line)?.id ?? '',
    name: of(line)?.name ?? without,
    cases: { [filter]: of(line)?.id ?? none },
  }))

/** tablesOf returns the tables of a report whose lines have the same figures. */
export function tablesOf(report: Report, t: TFunction) {
  return {
    person: {
      file: 'people',
      title: t('report.byPerson'),
      head: t('report.person'),
      rows: rowsOf(
        report.by_person,
        'user',
        (one) => one.user,
        t('report.nobody'),
      ),
    },
    sector: {
      file: 'departments',
      title: t('report.bySector'),
      head: t('report.sector'),
      rows: rowsOf(
        report.by_sector,
        'sector',
        (one) => one.sector,
        t('report.noSector'),
      ),
    },
    reason: {
      file: 'reasons',
      title: t('report.byReason'),
      head: t('report.reason'),
      rows: rowsOf(
        report.by_reason.filter((one) => one.closed > 0), // open cases have none

        'reason',
        (one) => one.reason,
        t('report.noReason'),
      ),
    },
    channel: {
      file: 'channels',
      title: t('report.byChannel'),
      head: t('report.channel'),
      rows: rowsOf(report.by_channel, 'channel', (one) => one.channel),
    },
    label: {
      file: 'labels',
      title: t('report.byLabel'),
      head: t('report.label'),
      rows: rowsOf(report.by_label, 'label', (one) => one.label),
    },
  } satisfies Record<string, FigureTable>
}
