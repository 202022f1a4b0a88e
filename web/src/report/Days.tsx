import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { Loading } from '../ui/states'
import { CaseLink } from './CaseLink'
import type { On } from './cases'
import { times, timesHead } from './csv'
import { Figure } from './Figure'
import { average, dayName, time } from './figures'

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
  const cases = (day: string, on: On, count: number, shown = number(count)) => (
    <CaseLink search={count > 0 ? { on, from: day, to: day } : null}>
      {shown}
    </CaseLink>
  )
  return (
    <>
      <Figure
        title={t('report.perDay')}
        show={t('report.showOpened')}
        hide={t('report.hideOpened')}
        head={[t('report.day'), t('report.opened'), t('report.closed')]}
        rows={days.map(({ date, opened, closed }) => ({
          key: date,
          cells: [
            dayName(date, 'long'),
            cases(date, 'opened', opened),
            cases(date, 'closed', closed),
          ],
        }))}
        file="days"
        csv={() => [
          [t('report.day'), t('report.opened'), t('report.closed')],
          ...days.map(({ date, opened, closed }) => [date, opened, closed]),
        ]}
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
        rows={days.map(({ date, first_response: one }) => ({
          key: date,
          cells: [
            dayName(date, 'long'),
            cases(date, 'answered', one.count),
            cases(date, 'answered', one.count, average(one)),
            cases(date, 'answered', one.count, time(one.median_seconds)),
            cases(date, 'answered', one.count, time(one.p90_seconds)),
          ],
        }))}
        file="first-response"
        csv={() => [
          [t('report.day'), ...timesHead(t('report.firstResponse'), t)],
          ...days.map((day) => [day.date, ...times(day.first_response)]),
        ]}
      >
        <Suspense fallback={waiting}>
          <FirstResponse days={days} />
        </Suspense>
      </Figure>
    </>
  )
}
