import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { putContact } from '../api/contacts'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Contact } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { typedPhone, typedSoFar } from '../ui/typedPhone'

type Props = { contact: Contact; onDeleted: () => void }

/** UnusedContact offers to change the phone of a contact without conversations, or to delete the contact. */
export function UnusedContact({ contact, onDeleted }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const may = useMe().scopes.includes('contacts:write')
  const [open, setOpen] = useState<'phone' | 'delete' | null>(null)
  const close = () => setOpen(null)
  if (!may) return null
  return (
    <>
      <Group gap="xs" mt="sm">
        <Button variant="default" size="xs" onClick={() => setOpen('phone')}>
          {t('contacts.changePhone')}
        </Button>
        <Button
          variant="default"
          size="xs"
          c="var(--red)"
          onClick={() => setOpen('delete')}
        >
          {t('contacts.delete')}
        </Button>
      </Group>
      {open === 'phone' && <PhoneDialog contact={contact} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t('contacts.deleteTitle', { name: contact.name })}
          text={t('contacts.deleteText')}
          action={t('contacts.delete')}
          onClose={close}
          onDone={onDeleted}
          reason={inUse(t('contacts.inUse'))}
          task={async () => {
            await unwrap(
              api.DELETE('/contacts/{id}', {
                params: { path: { id: contact.id } },
              }),
            )
            void client.invalidateQueries({ queryKey: keys.contactLists })
          }}
        />
      )}
    </>
  )
}

/** inUse replaces the error for a contact that has a conversation by now, possibly one that the user cannot see. */
const inUse = (text: string) => (error: unknown) =>
  error instanceof Failure && error.code === 'in_use' ? text : undefined

function PhoneDialog({
  contact,
  onClose,
}: {
  contact: Contact
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [text, setText] = useState(typedSoFar(contact.phone ?? '', ''))
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['phone'],
    reason: inUse(t('contacts.inUse')),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { phone: typedPhone(text) ?? text.trim() }
    if (
      await run(async () =>
        putContact(
          client,
          await unwrap(
            api.PATCH('/contacts/{id}', {
              params: { path: { id: contact.id } },
              body,
            }),
          ),
        ),
      )
    )
      onClose()
  }
  return (
    <Dialog title={t('contacts.changePhone')} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <TextInput
            label={t('contacts.phone')}
            type="tel"
            required
            withAsterisk={false}
            data-autofocus
            error={wrong.phone}
            value={text}
            onChange={(event) =>
              setText(typedSoFar(event.currentTarget.value, text))
            }
          />
          <Group justify="flex-end">
            <Button variant="default" disabled={busy} onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={!text.trim()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
