import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { Days } from './Days'
import { Total } from './Total'
import { SortedTable } from './SortedTable'
import { number } from '../ui/format'
import classes from './Report.module.css'

/** Results shows the figures of a report: four totals, two charts, two tables. */
export function Results({ report, busy }: { report: Report; busy: boolean }) {
  const { t } = useTranslation()
  const { totals } = report
  return (
    <div className={classes.results} aria-busy={busy}>
      <div className={classes.totals}>
        <Total name={t('report.opened')} value={number(totals.opened)} />
        <Total name={t('report.closed')} value={number(totals.closed)} />
        <Total name={t('report.firstResponse')} times={totals.first_response} />
        <Total name={t('report.resolution')} times={totals.resolution} />
      </div>
      <Days report={report} />
      <div className={classes.tables}>
        <SortedTable
          title={t('report.byPerson')}
          head={t('report.person')}
          rows={report.by_person.map((one) => ({
            ...one,
            id: one.user?.id ?? '',
            name: one.user?.name ?? t('report.nobody'),
          }))}
        />
        <SortedTable
          title={t('report.bySector')}
          head={t('report.sector')}
          rows={report.by_sector.map((one) => ({
            ...one,
            id: one.sector?.id ?? '',
            name: one.sector?.name ?? t('report.noSector'),
          }))}
        />
      </div>
    </div>
  )
}
