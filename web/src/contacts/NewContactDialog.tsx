import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Stack,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useChannels } from '../api/queries'
import { refusal } from '../api/refusal'
import { FieldInputs } from '../fields/FieldInputs'
import { useFieldForm } from '../fields/useFieldForm'
import { announce } from '../ui/announce'
import { Dialog } from '../ui/Dialog'
import { typedPhone, typedSoFar } from '../ui/typedPhone'
import type { ContactSearch } from './search'
import classes from './Contacts.module.css'

/** NewContactDialog adds a contact. If the phone number is already known, it links to that contact. */
export function NewContactDialog({
  onClose,
  onOpen,
}: {
  onClose: () => void
  onOpen: (id: string) => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const channels = useChannels().data ?? []
  const [fields, setFields] = useState({
    name: '',
    phone: '',
    company: '',
    city: '',
    channel: '',
  })
  const [problem, setProblem] = useState<{
    text: string
    contact?: string
  } | null>(null)
  const [busy, setBusy] = useState(false)
  const custom = useFieldForm('contact')
  const set = (change: Partial<typeof fields>) =>
    setFields((before) => ({ ...before, ...change }))
  const phone = typedPhone(fields.phone)
  const show = (id: string) => {
    onClose()
    onOpen(id)
  }
  const create = async () => {
    const more = custom.values()
    if (!more) return
    setBusy(true)
    setProblem(null)
    const optional = {
      company: fields.company.trim(),
      city: fields.city.trim(),
      channel_id: fields.channel,
    }
    const given = Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== ''),
    )
    try {
      const made = await unwrap(
        api.POST('/contacts', {
          body: {
            name: fields.name.trim(),
            phone: phone ?? fields.phone.trim(),
            ...given,
            ...more,
          },
        }),
      )
      client.setQueryData(keys.contact(made.id), made)
      void client.invalidateQueries({ queryKey: keys.contactLists })
      announce(t('contacts.created'))
      show(made.id)
    } catch (error) {
      setBusy(false)
      if (custom.refuse(error)) return
      const known =
        error instanceof Failure && error.code === 'contact_exists'
          ? String(error.params.id)
          : undefined
      setProblem({ text: refusal(error, t), contact: known })
    }
  }
  return (
    <Dialog title={t('contacts.new')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem.text}{' '}
              {problem.contact && (
                <Link
                  to="/contacts/$contact"
                  params={{ contact: problem.contact }}
                  search={(before: ContactSearch) => before}
                  className={classes.existing}
                  onClick={onClose}
                >
                  {t('contacts.openExisting')}
                </Link>
              )}
            </Alert>
          )}
          <TextInput
            label={t('details.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={fields.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <TextInput
            label={t('contacts.phone')}
            type="tel"
            required
            withAsterisk={false}
            description={t('contacts.phoneText')}
            value={fields.phone}
            onChange={(event) =>
              set({
                phone: typedSoFar(event.currentTarget.value, fields.phone),
              })
            }
          />
          <Group grow>
            <TextInput
              label={t('details.company')}
              maxLength={120}
              value={fields.company}
              onChange={(event) => set({ company: event.currentTarget.value })}
            />
            <TextInput
              label={t('details.city')}
              maxLength={120}
              value={fields.city}
              onChange={(event) => set({ city: event.currentTarget.value })}
            />
          </Group>
          <NativeSelect
            label={t('filters.channel')}
            value={fields.channel}
            data={[
              { value: '', label: t('contacts.noChannel') },
              ...channels.map((one) => ({ value: one.id, label: one.name })),
            ]}
            onChange={(event) => set({ channel: event.currentTarget.value })}
          />
          <FieldInputs {...custom.inputs} />
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={busy}
              disabled={!fields.name.trim() || !phone}
            >
              {t('contacts.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
