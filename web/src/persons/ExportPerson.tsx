import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Loaded } from '../api/Loaded'
import { useSubmit } from '../api/useSubmit'
import { useContact } from '../contacts/useContacts'
import { JobDownload } from '../jobs/JobDownload'
import { putJob } from '../jobs/useJob'
import { PersonDialog, usePersonDialog } from './PersonDialog'
import { PersonJob } from './PersonJob'

const path = '/contacts/export'

/** ExportPerson collects everything about a person in a file. The job is in the URL, so that it is found again after a reload. */
export default function ExportPerson() {
  const { t } = useTranslation()
  const { contact = '', job, setJob } = usePersonDialog(path)
  return (
    <PersonDialog path={path} title={t('persons.exportTitle')}>
      {job ? (
        <PersonJob
          id={job}
          done={t('persons.exportDone')}
          onAgain={() => setJob(undefined)}
        >
          {(ended) => <JobDownload job={ended} />}
        </PersonJob>
      ) : (
        <StartExport contact={contact} onStarted={setJob} />
      )}
    </PersonDialog>
  )
}

function StartExport({
  contact: id,
  onStarted,
}: {
  contact: string
  onStarted: (job: string) => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const contact = useContact(id)
  const { busy, problem, run } = useSubmit()
  const start = () =>
    void run(async () => {
      const job = await unwrap(
        api.POST('/contacts/{id}/export', { params: { path: { id } } }),
      )
      putJob(client, job)
      onStarted(job.id)
    })
  return (
    <Loaded query={contact}>
      {({ name }) => (
        <Stack gap="md">
          <Text size="sm">{t('persons.exportText', { name })}</Text>
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button autoFocus loading={busy} onClick={start}>
              {t('persons.exportStart')}
            </Button>
          </Group>
        </Stack>
      )}
    </Loaded>
  )
}
