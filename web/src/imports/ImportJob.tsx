import { Alert, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { jobProblem, type Job } from '../jobs/job'
import { JobDownload } from '../jobs/JobDownload'
import { JobProgress } from '../jobs/JobProgress'
import { useJob } from '../jobs/useJob'
import { announce } from '../ui/announce'
import { number } from '../ui/format'
import { BadLines } from './BadLines'
import type { Errors } from './imports'
import classes from './Imports.module.css'

type Props<Result> = {
  id: string
  onAgain: () => void
  summary: (result: Result) => ReactNode
  next: (result: Result | null) => ReactNode
  onEnd?: (result: Result) => void
}

/** ImportJob shows a running import, and then a summary of what it changed, the lines that it left out and where to go next. */
export function ImportJob<Result extends Errors>({
  id,
  onAgain,
  summary,
  next,
  onEnd,
}: Props<Result>) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const ended = useCallback(
    (job: Job) => {
      void client.invalidateQueries({ queryKey: keys.contactLists })
      void client.invalidateQueries({ queryKey: keys.labels })
      if (job.result) onEnd?.(job.result as Result)
      announce(jobProblem(job, t) ?? t('imports.done'))
    },
    [client, onEnd, t],
  )
  const query = useJob(id, ended)
  return (
    <Loaded query={query}>
      {(job) => {
        if (job.status === 'running')
          return (
            <>
              <JobProgress job={job} />
              <p className={classes.below}>{t('imports.leave')}</p>
            </>
          )
        const result = job.result as Result | null
        const problem = jobProblem(job, t)
        const { done, total } = job.progress
        return (
          <>
            <Alert
              color={problem ? 'red' : 'green'}
              variant="light"
              role={problem ? 'alert' : 'status'}
            >
              {problem ?? t('imports.done')}
              {problem && total > 0 && (
                <>
                  {' '}
                  {t('imports.stoppedAt', {
                    done: number(done),
                    total: number(total),
                  })}
                </>
              )}
            </Alert>
            {result && (
              <>
                {summary(result)}
                <BadLines result={result} />
                {result.errors_total > 0 && (
                  <p className={classes.download}>
                    <JobDownload job={job} name={t('imports.downloadErrors')} />
                  </p>
                )}
              </>
            )}
            <div className={classes.ends}>
              <Button variant="default" onClick={onAgain}>
                {t('imports.another')}
              </Button>
              {next(result)}
            </div>
          </>
        )
      }}
    </Loaded>
  )
}
