import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Job } from '../jobs/job'
import { Dialog } from '../ui/Dialog'
import { Empty } from '../ui/states'
import { usePhone } from '../ui/usePhone'

/** Chosen is a file that the user chose. The number tells files of the same name apart. */
export type Chosen = { id: number; file: File }

let last = 0

type Props = {
  kind: 'contacts_import' | 'chat_import'
  title: string
  job: string | undefined
  onJob: (id: string | undefined) => void
  onClose: () => void
  choose: (onFile: (file: File) => void) => ReactNode
  check: (
    chosen: Chosen,
    onOther: () => void,
    onStarted: (job: Job) => void,
  ) => ReactNode
  show: (job: string, onAgain: () => void) => ReactNode
}

/** ImportDialog takes an import through its steps: choose a file, check it, and show the job. While a file is being checked only the buttons close it, so that no choice is lost by mistake. */
export function ImportDialog({
  kind,
  title,
  job,
  onJob,
  onClose,
  choose,
  check,
  show,
}: Props) {
  const { t } = useTranslation()
  const may = useMe().scopes.includes('data:manage')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const go = (id: string | undefined) => {
    setChosen(null)
    onJob(id)
  }
  return (
    <Dialog
      title={title}
      size={820}
      fullScreen={usePhone()}
      closeOnClickOutside={false}
      closeOnEscape={!chosen || !!job}
      onClose={onClose}
    >
      {!may ? (
        <Empty title={t('imports.notAllowed')} />
      ) : job ? (
        show(job, () => go(undefined))
      ) : chosen ? (
        check(
          chosen,
          () => setChosen(null),
          (started) => go(started.id),
        )
      ) : (
        <>
          <Running kind={kind} onShow={go} />
          {choose((file) => setChosen({ id: ++last, file }))}
        </>
      )}
    </Dialog>
  )
}

/** Running leads to the import that is running, if any. Checks of files do not count. */
function Running({
  kind,
  onShow,
}: {
  kind: Props['kind']
  onShow: (id: string) => void
}) {
  const { t } = useTranslation()
  const query = {
    kind,
    status: 'running' as const,
    dry_run: 'false' as const,
    limit: 1,
  }
  const { data } = useQuery({
    queryKey: keys.jobList(query),
    staleTime: 0,
    queryFn: () => unwrap(api.GET('/jobs', { params: { query } })),
  })
  const job = data?.data[0]
  if (!job) return null
  return (
    <Alert color="green" variant="light" role="status" mb="md">
      <Group justify="space-between" gap="sm">
        {t('imports.running')}
        <Button size="xs" variant="default" onClick={() => onShow(job.id)}>
          {t('imports.showRunning')}
        </Button>
      </Group>
    </Alert>
  )
}
