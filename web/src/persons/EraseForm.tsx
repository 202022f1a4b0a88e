import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { Contact, ErasePreview } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { useContact } from '../contacts/useContacts'
import { putJob } from '../jobs/useJob'
import { phone } from '../ui/format'
import { typedSoFar } from '../ui/typedPhone'
import { erasableTexts } from './erasable'
import classes from './Persons.module.css'

type Props = { contact: string; onStarted: (job: string) => void }

/** EraseForm says what an erasure removes and what stays, and asks for a reason and the phone number. */
export function EraseForm({ contact: id, onStarted }: Props) {
  const contact = useContact(id)
  const preview = useQuery({
    queryKey: keys.erasePreview(id),
    staleTime: 0,
    queryFn: () =>
      unwrap(
        api.POST('/contacts/{id}/erase/preview', {
          params: { path: { id } },
        }),
      ),
  })
  return (
    <Loaded query={contact}>
      {(person) => (
        <Loaded query={preview}>
          {(counts) => (
            <Form contact={person} preview={counts} onStarted={onStarted} />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

function Form({
  contact,
  preview,
  onStarted,
}: {
  contact: Contact
  preview: ErasePreview
  onStarted: (job: string) => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['confirm_phone', 'reason'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const job = await unwrap(
        api.POST('/contacts/{id}/erase', {
          params: { path: { id: contact.id } },
          body: { confirm_phone: typed.trim(), reason: reason.trim() },
        }),
      )
      putJob(client, job)
      onStarted(job.id)
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <p className={classes.person}>
          <strong>{contact.name}</strong>
          {contact.phone && <span>{phone(contact.phone)}</span>}
        </p>
        <div className={classes.outcome}>
          <h3>{t('persons.goesTitle')}</h3>
          <ul>
            <li>{t('persons.goesContact')}</li>
            {erasableTexts(preview, t).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <h3>{t('persons.staysTitle')}</h3>
          <ul>
            <li>{t('persons.staysCases')}</li>
            <li>{t('persons.staysAudit')}</li>
          </ul>
        </div>
        {preview.open_attendances > 0 && (
          <Alert color="yellow" variant="light">
            {t('persons.openCases', { count: preview.open_attendances })}
          </Alert>
        )}
        <Textarea
          label={t('common.reason')}
          description={t('persons.reasonText')}
          autosize
          minRows={2}
          maxRows={5}
          maxLength={500}
          required
          withAsterisk={false}
          autoFocus
          error={wrong.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <TextInput
          label={t(contact.phone ? 'persons.phone' : 'persons.name')}
          type={contact.phone ? 'tel' : 'text'}
          autoComplete="off"
          required
          withAsterisk={false}
          error={wrong.confirm_phone}
          value={typed}
          onChange={(event) => {
            const text = event.currentTarget.value
            setTyped(contact.phone ? typedSoFar(text, typed) : text)
          }}
        />
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        <p className={classes.final}>{t('persons.final')}</p>
        <Group justify="flex-end">
          <Button
            type="submit"
            color="red"
            loading={busy}
            disabled={!reason.trim() || !typed.trim()}
          >
            {t('persons.erase')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
