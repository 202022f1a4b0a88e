import {
  Alert,
  Autocomplete,
  Button,
  Group,
  NativeSelect,
  Stack,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { putConversation } from '../../api/cache'
import { keys } from '../../api/keys'
import { useChannels, useMe, useRowNames } from '../../api/queries'
import { useNumberName } from '../../api/useNumberName'
import { Dialog } from '../../ui/Dialog'
import { phone as formatted } from '../../ui/format'
import { toast } from '../../ui/toast'
import { typedPhone, typedSoFar } from '../../ui/typedPhone'
import { refusal } from '../refusal'

/** NewConversationDialog starts a conversation with a contact or phone number. */
export function NewConversationDialog({
  onClose,
  onOpen,
}: {
  onClose: () => void
  onOpen: (id: string) => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const names = useRowNames()
  const channels = useChannels().data ?? []
  const numberName = useNumberName()
  const [chosenChannel, setChannel] = useState<string>()
  const channel =
    chosenChannel ??
    channels.find((one) => one.status === 'connected')?.id ??
    ''
  const [who, setWho] = useState('')
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [text] = useDebouncedValue(who.trim(), 250)
  const found = useQuery({
    queryKey: keys.contacts(text),
    enabled: text.length >= 2,
    queryFn: () =>
      unwrap(
        api.GET('/contacts', { params: { query: { q: text, limit: 10 } } }),
      ),
  })
  const contacts = (found.data?.data ?? []).map((one) => ({
    id: one.id,
    label: one.phone ? `${one.name}, ${formatted(one.phone)}` : one.name,
  }))
  const chosen = contacts.find((one) => one.label === who)
  const phone = chosen ? null : typedPhone(who)
  const start = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const target = chosen
        ? { contact_id: chosen.id }
        : {
            phone: phone ?? who.trim(),
            ...(name.trim() ? { name: name.trim() } : {}),
          }
      const opened = await unwrap(
        api.POST('/conversations', {
          body: { channel_id: channel, ...target },
        }),
      )
      putConversation(client, opened, me.user.id)
      if (opened.assignee && opened.assignee !== me.user.id) {
        toast(
          t('new.responsible', { name: names.person(opened.assignee) ?? '' }),
        )
      }
      onClose()
      onOpen(opened.id)
    } catch (error) {
      setProblem(refusal(error, t))
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('list.new')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <NativeSelect
            label={t('new.number')}
            value={channel}
            error={
              channels.length > 0 &&
              !channel &&
              t('refusal.channel_disconnected')
            }
            data={channels.map((one) => ({
              value: one.id,
              label: numberName(one),
              disabled: one.status !== 'connected',
            }))}
            onChange={(event) => setChannel(event.currentTarget.value)}
          />
          <Autocomplete
            label={t('new.who')}
            data-autofocus
            role="combobox"
            required
            withAsterisk={false}
            data={[...new Set(contacts.map((one) => one.label))]}
            filter={({ options }) => options}
            value={who}
            onChange={(text) => setWho(typedSoFar(text, who))}
          />
          {!chosen && (
            <TextInput
              label={t('new.name')}
              maxLength={120}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={busy}
              disabled={!channel || (!chosen && !phone)}
            >
              {t('new.start')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
