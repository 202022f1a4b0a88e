import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Times } from '../api/types'
import { average, time } from './figures'
import classes from './Report.module.css'

/** Total shows one figure for the whole period: a count, or a median with the average and 90th percentile. */
export function Total({
  name,
  value,
  times,
}: {
  name: string
  value?: string
  times?: Times
}) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className={classes.total}>
      <span id={id} className={classes.name}>
        {name}
      </span>
      <strong>{times ? time(times.median_seconds) : value}</strong>
      {times && times.count > 0 && (
        <span className={classes.around}>
          {t('report.around', {
            average: average(times),
            p90: time(times.p90_seconds),
          })}
        </span>
      )}
    </div>
  )
}
