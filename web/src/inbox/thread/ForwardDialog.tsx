import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import {
  keepPreviousData,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { putMessage } from '../../api/cache'
import { keys } from '../../api/keys'
import type { Conversation, Message } from '../../api/types'
import { Dialog } from '../../ui/Dialog'
import { phone } from '../../ui/format'
import { toast } from '../../ui/toast'
import { refusal } from '../refusal'
import { forwardBody } from './forward'
import classes from './MessageInfo.module.css'

/** ForwardDialog sends a message to other conversations. */
export function ForwardDialog({
  message,
  onClose,
}: {
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), 200)
  const [chosen, setChosen] = useState<Conversation[]>([])
  const [problems, setProblems] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const query = wanted ? { q: wanted } : { archived: 'false' as const }
  const found = useQuery({
    queryKey: keys.conversationChoices(query),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/conversations', {
          params: { query: { ...query, limit: 30 } },
        }),
      ),
  }).data?.data
  const offered = [
    ...chosen,
    ...(found ?? []).filter(
      (one) =>
        one.id !== message.conversation &&
        !chosen.some((other) => other.id === one.id),
    ),
  ]
  const toggle = (one: Conversation) =>
    setChosen((before) =>
      before.some((other) => other.id === one.id)
        ? before.filter((other) => other.id !== one.id)
        : [...before, one],
    )
  const send = async () => {
    setBusy(true)
    const failed: Conversation[] = []
    const reasons: string[] = []
    for (const one of chosen) {
      try {
        const sent = await unwrap(
          api.POST('/conversations/{id}/messages', {
            params: { path: { id: one.id } },
            body: { client_id: crypto.randomUUID(), ...forwardBody(message) },
          }),
        )
        putMessage(client, sent, true)
      } catch (error) {
        failed.push(one)
        reasons.push(
          t('forward.failed', { name: one.name, reason: refusal(error, t) }),
        )
      }
    }
    setBusy(false)
    setChosen(failed)
    setProblems(reasons)
    if (failed.length > 0) return
    toast(t('forward.done'))
    onClose()
  }
  return (
    <Dialog title={t('forward.title')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen.length > 0) void send()
          else if (offered[0]) toggle(offered[0])
        }}
      >
        {problems.map((problem) => (
          <Alert key={problem} color="red" variant="light" mb="xs">
            {problem}
          </Alert>
        ))}
        <TextInput
          type="search"
          role="searchbox"
          data-autofocus
          leftSection={<IconSearch size={16} />}
          aria-label={t('forward.search')}
          placeholder={t('forward.search')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <div className={classes.list} role="group" aria-label={t('forward.to')}>
          {offered.map((one) => (
            <label key={one.id} className={classes.choice}>
              <input
                type="checkbox"
                checked={chosen.some((other) => other.id === one.id)}
                onChange={() => toggle(one)}
              />
              <span>{one.name}</span>
              <small>{phone(one.phone)}</small>
            </label>
          ))}
          {found && offered.length === 0 && (
            <p className={classes.none}>{t('forward.none')}</p>
          )}
        </div>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={chosen.length === 0}>
            {t('forward.send')}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
