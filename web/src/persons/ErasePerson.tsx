import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErasePreview } from '../api/types'
import type { Job } from '../jobs/job'
import { EraseForm } from './EraseForm'
import { erasableTexts } from './erasable'
import { PersonDialog, usePersonDialog } from './PersonDialog'
import { PersonJob } from './PersonJob'

const path = '/contacts/erase'

/** ErasePerson erases a person for good. The job is in the URL, so that it is found again after a reload. */
export default function ErasePerson() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { contact = '', job, setJob } = usePersonDialog(path)
  const [gone, setGone] = useState(false)
  const onErased = useCallback(() => {
    setGone(true)
    // Anything in the cache may be about the person.
    client.removeQueries({ type: 'inactive' })
    void client.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== 'job',
    })
  }, [client])
  return (
    <PersonDialog path={path} title={t('persons.eraseTitle')} gone={gone}>
      {job ? (
        <PersonJob
          id={job}
          done={t('persons.eraseDone')}
          onDone={onErased}
          onAgain={() => setJob(undefined)}
        >
          {(ended) => <Erased job={ended} />}
        </PersonJob>
      ) : (
        <EraseForm contact={contact} onStarted={setJob} />
      )}
    </PersonDialog>
  )
}

/** Erased lists what an erasure removed. */
function Erased({ job }: { job: Job }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const texts = erasableTexts(job.result as unknown as ErasePreview, t)
  return (
    <>
      {texts.length > 0 && (
        <Text size="sm">{t('persons.erased', { list: texts.join(', ') })}</Text>
      )}
      <Group justify="flex-end">
        <Button onClick={() => void navigate({ to: '/contacts' })}>
          {t('persons.toContacts')}
        </Button>
      </Group>
    </>
  )
}
