import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { Loading } from '../ui/states'
import { Figure } from './Figure'
import { average, dayName, time } from './figures'
import classes from './Report.module.css'

const OpenedAndClosed = lazy(() =>
  import('./Charts').then((loaded) => ({ default: loaded.OpenedAndClosed })),
)
const FirstResponse = lazy(() =>
  import('./Charts').then((loaded) => ({ default: loaded.FirstResponse })),
)

/** Days shows the figures per day, as charts or tables. */
export function Days({ report: { by_day: days } }: { report: Report }) {
  const { t } = useTranslation()
  const waiting = <Loading rows={1} height={188} /> // as high as a chart, so that nothing below moves
  return (
    <div className={classes.figures}>
      <Figure
        title={t('report.perDay')}
        show={t('report.showOpened')}
        hide={t('report.hideOpened')}
        head={[t('report.day'), t('report.opened'), t('report.closed')]}
        rows={days.map((day) => [
          dayName(day.date, 'long'),
          number(day.opened),
          number(day.closed),
        ])}
      >
        <Suspense fallback={waiting}>
          <OpenedAndClosed days={days} />
        </Suspense>
      </Figure>
      <Figure
        title={t('report.responsePerDay')}
        show={t('report.showResponse')}
        hide={t('report.hideResponse')}
        head={[
          t('report.day'),
          t('report.answered'),
          t('report.average'),
          t('report.median'),
          t('report.p90'),
        ]}
        rows={days.map(({ date, first_response: times }) => [
          dayName(date, 'long'),
          number(times.count),
          average(times),
          time(times.median_seconds),
          time(times.p90_seconds),
        ])}
      >
        <Suspense fallback={waiting}>
          <FirstResponse days={days} />
        </Suspense>
      </Figure>
    </div>
  )
}
