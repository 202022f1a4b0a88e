import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { number } from '../ui/format'
import { jobName, type Job } from './job'
import { putJob } from './useJob'
import classes from './JobProgress.module.css'

type Props = { job: Job; name?: string }

/** JobProgress shows how far a running job is, with a button that cancels it. Its screen loads the texts "jobs". */
export function JobProgress({ job, name }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const { done, total } = job.progress
  const waiting = total === 0
  const amount = waiting
    ? t('jobs.waiting')
    : t('jobs.amount', { done: number(done), total: number(total) })
  const percent = waiting ? 0 : Math.min(100, (100 * done) / total)
  return (
    <div>
      <div className={classes.words}>
        <span id={id}>{name ?? jobName(job.kind, t)}</span>
        <span>{amount}</span>
      </div>
      <div className={classes.line}>
        <div
          role="progressbar"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={waiting ? undefined : Math.round(percent)}
          aria-valuetext={amount}
          className={classes.bar}
          data-waiting={waiting || undefined}
        >
          <span style={waiting ? undefined : { width: `${percent}%` }} />
        </div>
        {job.cancellable && <CancelJob job={job} />}
      </div>
    </div>
  )
}

/** CancelJob is the button that cancels a job after asking. */
function CancelJob({ job }: { job: Job }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const cancel = async () => {
    const stopped = await unwrap(
      api.POST('/jobs/{id}/cancel', { params: { path: { id: job.id } } }),
    )
    putJob(client, stopped)
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('jobs.cancel')}
      </Button>
      {asking && (
        <Confirm
          title={t('jobs.cancelTitle', { job: jobName(job.kind, t) })}
          text={t('jobs.cancelText')}
          action={t('jobs.cancel')}
          onClose={() => setAsking(false)}
          task={cancel}
        />
      )}
    </>
  )
}
