import { useTranslation } from 'react-i18next'
import type { Report, Times } from '../api/types'
import { number } from '../ui/format'
import {
  average,
  change,
  measured,
  percent,
  rating,
  share,
  time,
} from './figures'
import { Total } from './Total'
import classes from './Report.module.css'

/** Totals shows the figures of the whole period. What the company does not use is left out. */
export function Totals({ report }: { report: Report }) {
  const { t } = useTranslation()
  const { totals, survey } = report
  const before = report.previous.totals
  const { met, breached } = measured(report.sla)
  const compare = (
    now: number | null,
    then: number | null,
    shown: (value: number) => string,
  ) => {
    const difference = change(now, then)
    if (difference === null || then === null) return undefined
    return now === then
      ? t('report.same')
      : t('report.change', { change: difference, before: shown(then) })
  }
  const around = (times: Times) =>
    times.count > 0 &&
    t('report.around', {
      average: average(times),
      p90: time(times.p90_seconds),
    })
  return (
    <div className={classes.totals}>
      <Total
        name={t('report.opened')}
        value={number(totals.opened)}
        cases={{ on: 'opened' }}
        change={compare(totals.opened, before.opened, number)}
      />
      <Total
        name={t('report.closed')}
        value={number(totals.closed)}
        cases={{ on: 'closed' }}
        change={compare(totals.closed, before.closed, number)}
      />
      <Total
        name={t('report.firstResponse')}
        value={time(totals.first_response.median_seconds)}
        cases={{ on: 'answered' }}
        change={compare(
          totals.first_response.median_seconds,
          before.first_response.median_seconds,
          time,
        )}
      >
        {around(totals.first_response)}
      </Total>
      <Total
        name={t('report.resolution')}
        value={time(totals.resolution.median_seconds)}
        cases={{ on: 'closed' }}
        change={compare(
          totals.resolution.median_seconds,
          before.resolution.median_seconds,
          time,
        )}
      >
        {around(totals.resolution)}
      </Total>
      {survey.sent > 0 && (
        <Total name={t('report.satisfaction')} value={rating(survey.average)}>
          {survey.share_satisfied !== null &&
            t('report.satisfiedAnswered', {
              satisfied: percent(survey.share_satisfied),
              answered: share(survey.answered, survey.sent),
            })}
        </Total>
      )}
      {met + breached > 0 && (
        <Total
          name={t('report.levels')}
          value={share(met, met + breached)}
          cases={{ on: 'opened', sla: 'met' }}
        >
          {t('report.breachedOf', {
            breached: number(breached),
            count: met + breached,
          })}
        </Total>
      )}
    </div>
  )
}
