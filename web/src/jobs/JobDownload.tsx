import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { dateAndTime } from '../ui/format'
import { useNow } from '../ui/useNow'
import { fileOf, type Job } from './job'
import classes from './JobDownload.module.css'

/** JobDownload is the link to the file of a job that is done, or says why there is none. Its screen loads the texts "jobs". */
export function JobDownload({ job, name }: { job: Job; name?: string }) {
  const { t } = useTranslation()
  const file = fileOf(job, useNow())
  if (file.state === 'none') return null
  if (file.state !== 'ready')
    return (
      <span className={classes.until}>
        {file.state === 'expired'
          ? t('jobs.expired')
          : t('jobs.notMine', { name: job.created_by.name })}
      </span>
    )
  return (
    <span className={classes.download}>
      <Button
        component="a"
        href={file.url}
        download
        size="xs"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {name ?? t('jobs.download')}
      </Button>
      {file.until && (
        <span className={classes.until}>
          {t('jobs.until', { time: dateAndTime(file.until) })}
        </span>
      )}
    </span>
  )
}
