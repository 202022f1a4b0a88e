import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { refusal, requestIdOf } from '../../api/refusal'
import type { Job } from '../../api/types'
import { JobDownload } from '../../jobs/JobDownload'
import { JobProgress } from '../../jobs/JobProgress'
import { jobName, jobProblem } from '../../jobs/job'
import { dateAndTime } from '../../ui/format'
import { Section } from '../../ui/Layout'
import { Failure, Loading } from '../../ui/states'
import rows from '../../ui/rows.module.css'
import classes from './Data.module.css'

const pause = 2000

/** Jobs lists the company's long work, newest first. It is polled while something is running. */
export function Jobs() {
  const { t } = useTranslation()
  const list = useInfiniteQuery({
    queryKey: keys.jobList({}),
    staleTime: 0,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/jobs', {
          params: {
            // Checks before an import are not jobs to a person.
            query: {
              limit: 20,
              dry_run: 'false',
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) =>
        page.data.some((job) => job.status === 'running'),
      )
        ? pause
        : false,
  })
  const jobs = (list.data?.pages ?? []).flatMap((page) => page.data)
  return (
    <Section title={t('data.jobs')} text={t('data.jobsText')}>
      {list.isPending ? (
        <Loading rows={2} />
      ) : list.isError && jobs.length === 0 ? (
        <Failure
          message={refusal(list.error, t)}
          requestId={requestIdOf(list.error)}
          onRetry={() => void list.refetch()}
        />
      ) : jobs.length === 0 && !list.hasNextPage ? (
        <p className={rows.none}>{t('data.noJobs')}</p>
      ) : (
        <>
          <ul className={classes.jobs} aria-label={t('data.jobs')}>
            {jobs.map((job) => (
              <JobItem key={job.id} job={job} />
            ))}
          </ul>
          {list.hasNextPage && (
            <Button
              variant="subtle"
              size="xs"
              mt="sm"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {t('common.more')}
            </Button>
          )}
        </>
      )}
    </Section>
  )
}

function JobItem({ job }: { job: Job }) {
  const { t } = useTranslation()
  const { created_by, created_at, finished_at } = job
  const facts = (
    <span className={classes.facts}>
      {[
        created_by.name,
        dateAndTime(created_at),
        job.status === 'done' &&
          finished_at &&
          t('data.finished', { time: dateAndTime(finished_at) }),
      ]
        .filter(Boolean)
        .join(' · ')}
    </span>
  )
  if (job.status === 'running')
    return (
      <li className={classes.job}>
        <JobProgress job={job} />
        {facts}
      </li>
    )
  return (
    <li className={classes.job}>
      <strong>{jobName(job.kind, t)}</strong>
      {facts}
      {job.status === 'failed' && (
        <span className={classes.facts} data-tone="red">
          {jobProblem(job, t)}
        </span>
      )}
      <JobDownload job={job} />
    </li>
  )
}
