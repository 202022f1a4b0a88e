import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useCallback, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../api/Loaded'
import { jobProblem, type Job } from '../jobs/job'
import { JobProgress } from '../jobs/JobProgress'
import { useJob } from '../jobs/useJob'
import { announce } from '../ui/announce'

type Props = {
  id: string
  done: string
  onDone?: () => void
  onAgain: () => void
  children: (job: Job) => ReactNode
}

/** PersonJob shows a running job, then the text done and its children, or why the job failed and a button that leads back to its start. onDone must not change between renders. */
export function PersonJob({ id, done, onDone, onAgain, children }: Props) {
  const { t } = useTranslation()
  const onEnd = useCallback(
    (job: Job) => {
      announce(jobProblem(job, t) ?? done)
      if (job.status === 'done') onDone?.()
    },
    [done, onDone, t],
  )
  const query = useJob(id, onEnd)
  return (
    <Loaded query={query}>
      {(job) => {
        if (job.status === 'running')
          return (
            <Stack gap="md">
              <JobProgress job={job} />
              <Text size="sm" c="var(--soft)">
                {t('persons.leave')}
              </Text>
            </Stack>
          )
        const problem = jobProblem(job, t)
        return (
          <Stack gap="md">
            <Alert
              color={problem ? 'red' : 'green'}
              variant="light"
              role={problem ? 'alert' : 'status'}
            >
              {problem ?? done}
            </Alert>
            {problem ? (
              <Group justify="flex-end">
                <Button variant="default" onClick={onAgain}>
                  {t('states.tryAgain')}
                </Button>
              </Group>
            ) : (
              children(job)
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}
