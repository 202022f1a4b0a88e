import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useBoards, useTeam } from '../../api/queries'
import type { Card, Conversation } from '../../api/types'
import { FieldInputs } from '../../fields/FieldInputs'
import { useFieldForm } from '../../fields/useFieldForm'
import { announce } from '../../ui/announce'
import { Dialog } from '../../ui/Dialog'
import { Empty } from '../../ui/states'
import { refusal } from '../refusal'

type Props = { conversation: Conversation; text: string; onClose: () => void }

/** CreateCardDialog creates a card for a conversation, with the text of a message if it was opened from one. */
export function CreateCardDialog({ conversation, text, onClose }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const all = useBoards()
  const boards = (all.data ?? []).filter(
    (one) => !one.archived && one.system === null,
  )
  const team = useTeam().data ?? []
  const [board, setBoard] = useState<string>()
  const [stage, setStage] = useState<string>()
  const [person, setPerson] = useState('')
  const [title, setTitle] = useState(
    text.trim().split('\n')[0]?.slice(0, 120) || conversation.name,
  )
  const [description, setDescription] = useState(text.trim())
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const custom = useFieldForm('card')
  const key = useRef(crypto.randomUUID())
  const chosen = boards.find((one) => one.id === board) ?? boards[0]
  const create = async () => {
    const more = custom.values()
    if (!chosen || !more) return
    setBusy(true)
    setProblem(null)
    try {
      const fields = {
        ...(stage ? { stage_id: stage } : {}),
        ...(person ? { assignee: person } : {}),
        ...(description.trim() ? { description: description.trim() } : {}),
      }
      const body = {
        board_id: chosen.id,
        title: title.trim(),
        conversation: conversation.id,
        ...(conversation.contact ? { contact: conversation.contact } : {}),
        ...fields,
        ...more,
      }
      const card = await unwrap(
        api.POST('/kanban/cards', {
          params: { header: { 'Idempotency-Key': key.current } },
          body,
        }),
      )
      client.setQueryData<{ data: Card[] }>(
        keys.cards(conversation.id),
        (page) => ({ ...page, data: [card, ...(page?.data ?? [])] }),
      )
      announce(t('card.created'))
      onClose()
    } catch (error) {
      key.current = crypto.randomUUID()
      if (!custom.refuse(error)) setProblem(refusal(error, t))
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('card.create')} onClose={onClose}>
      {all.isSuccess && boards.length === 0 ? (
        <Empty title={t('card.noBoard')} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void create()
          }}
        >
          <Stack gap="md">
            {problem && (
              <Alert color="red" variant="light">
                {problem}
              </Alert>
            )}
            <TextInput
              label={t('card.title')}
              data-autofocus
              required
              withAsterisk={false}
              maxLength={200}
              value={title}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            <Textarea
              label={t('card.description')}
              autosize
              minRows={2}
              maxRows={6}
              maxLength={5000}
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
            <Group grow>
              <NativeSelect
                label={t('card.board')}
                value={chosen?.id ?? ''}
                data={boards.map((one) => ({ value: one.id, label: one.name }))}
                onChange={(event) => {
                  setBoard(event.currentTarget.value)
                  setStage(undefined)
                }}
              />
              <NativeSelect
                label={t('card.stage')}
                value={stage ?? chosen?.stages[0]?.id ?? ''}
                data={(chosen?.stages ?? []).map((one) => ({
                  value: one.id,
                  label: one.name,
                }))}
                onChange={(event) => setStage(event.currentTarget.value)}
              />
            </Group>
            <NativeSelect
              label={t('filters.person')}
              value={person}
              data={[
                { value: '', label: t('filters.nobody') },
                ...team.map((one) => ({ value: one.id, label: one.name })),
              ]}
              onChange={(event) => setPerson(event.currentTarget.value)}
            />
            <FieldInputs {...custom.inputs} />
            <Group justify="flex-end">
              <Button type="submit" loading={busy} disabled={!chosen}>
                {t('card.create')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}
