import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { Days } from './Days'
import { HeatMap } from './HeatMap'
import { Part } from './Part'
import { Satisfaction } from './Satisfaction'
import { ServiceLevels } from './ServiceLevels'
import { SortedTable } from './SortedTable'
import { tablesOf } from './tables'
import { Totals } from './Totals'
import { Unused } from './Unused'
import classes from './Report.module.css'

/** Results shows the figures of a report: totals, days, then each part from the most to the least used. */
export function Results({ report, busy }: { report: Report; busy: boolean }) {
  const { t } = useTranslation()
  const tables = tablesOf(report, t)
  return (
    <div className={classes.results} aria-busy={busy}>
      <Totals report={report} />
      <Part id="days">
        <Days report={report} />
      </Part>
      <Part id="team">
        <SortedTable table={tables.person} />
        <SortedTable table={tables.sector} />
      </Part>
      <Part id="satisfaction">
        <Satisfaction survey={report.survey} />
      </Part>
      <div className={classes.part}>
        <div className={classes.stack}>
          <div id="levels">
            <ServiceLevels sla={report.sla} />
          </div>
          <div id="labels">
            <SortedTable table={tables.label} />
          </div>
        </div>
        <div className={classes.stack}>
          <div id="reasons">
            <SortedTable
              table={
                tables.reason.rows.some((one) => one.id !== '')
                  ? tables.reason
                  : { ...tables.reason, rows: [] }
              }
              columns={['name', 'closed', 'share', 'resolution']}
              empty={<Unused text={t('report.noReasons')} page="reasons" />}
            />
          </div>
          <div id="channels">
            <SortedTable table={tables.channel} />
          </div>
        </div>
      </div>
      <Part id="hours" wide>
        <HeatMap byHour={report.by_hour} />
      </Part>
    </div>
  )
}
