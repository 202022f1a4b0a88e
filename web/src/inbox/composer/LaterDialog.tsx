import {
  Alert,
  Button,
  Group,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type {
  Conversation,
  ScheduledContent,
  ScheduledMessage,
} from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { announce } from '../../ui/announce'
import { Dialog } from '../../ui/Dialog'
import { dateAndTime, instant, localTime } from '../../ui/format'
import { laterPresets, laterProblem } from './later'
import { refusal } from '../refusal'
import { submitWithControl } from './submitWithControl'
import classes from './Later.module.css'

type Props = {
  conversation: Conversation
  /** The message to send; null if it would be several messages. */
  content: ScheduledContent | null
  preview: string
  /** The scheduled message to edit; without it a new one is created. */
  entry?: ScheduledMessage
  onClose: () => void
  onDone: () => void
}

/** LaterDialog schedules a message or edits a scheduled one. */
export function LaterDialog({
  conversation,
  content,
  preview,
  entry,
  onClose,
  onDone,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { timezone } = useMe().company
  const [now] = useState(() => new Date())
  const presets = laterPresets(now)
  const [local, setLocal] = useState(
    entry ? localTime(new Date(entry.send_at)) : (presets[0]?.local ?? ''),
  )
  const [cancel, setCancel] = useState(entry?.cancel_on_reply ?? false)
  const [text, setText] = useState(entry?.text ?? '')
  const [client_id] = useState(() => crypto.randomUUID()) // the same in every attempt
  const { busy, problem, run } = useSubmit({
    reason: (error) => refusal(error, t),
  })
  const title = entry ? t('later.change') : t('composer.later')
  const wrong = local ? laterProblem(local, new Date()) : null
  const expires = conversation.window_expires_at
  const closed =
    local !== '' &&
    expires !== null &&
    !content?.template &&
    instant(local).getTime() >= Date.parse(expires)

  const save = async () => {
    if (!content || !local || wrong) return
    const fields = {
      send_at: instant(local).toISOString(),
      cancel_on_reply: cancel,
    }
    const written = text.trim()
    const changed =
      written === (entry?.text ?? '')
        ? {}
        : {
            ...(content.media_id ? { media_id: content.media_id } : {}),
            ...(written ? { text: written } : {}),
          }
    const kept = await run(async () => {
      const saved = entry
        ? await unwrap(
            api.PATCH('/scheduled/{id}', {
              params: { path: { id: entry.id } },
              body: { ...fields, ...changed },
            }),
          )
        : await unwrap(
            api.POST('/conversations/{id}/scheduled', {
              params: { path: { id: conversation.id } },
              body: { client_id, ...fields, ...content },
            }),
          )
      client.setQueryData<ScheduledMessage[]>(
        keys.scheduled(conversation.id),
        (all) => [saved, ...(all ?? []).filter((one) => one.id !== saved.id)],
      )
    })
    if (!kept) return
    announce(t('later.done', { time: dateAndTime(instant(local)) }))
    onDone()
  }

  if (!content)
    return (
      <Dialog title={title} onClose={onClose}>
        <Alert color="yellow" variant="light">
          {t('later.several')}
        </Alert>
      </Dialog>
    )
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onKeyDown={submitWithControl}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          {entry && !content.template ? (
            <Textarea
              label={t('later.text')}
              autosize
              minRows={1}
              maxRows={6}
              maxLength={content.media_id ? 1024 : 4096}
              required={!content.media_id}
              withAsterisk={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          ) : (
            <Text className={classes.what} lineClamp={4}>
              {preview}
            </Text>
          )}
          <Group gap={6} role="group" aria-label={t('later.presets')}>
            {presets.map((preset) => (
              <Button
                key={preset.id}
                size="compact-sm"
                variant={preset.local === local ? 'light' : 'default'}
                aria-pressed={preset.local === local}
                onClick={() => setLocal(preset.local)}
              >
                {t(`later.preset.${preset.id}`)}
              </Button>
            ))}
          </Group>
          <TextInput
            type="datetime-local"
            label={t('later.date')}
            description={t('later.zone', { zone: timezone })}
            min={localTime(now)}
            value={local}
            required
            withAsterisk={false}
            data-autofocus
            error={wrong && t(`later.problem.${wrong}`)}
            onChange={(event) => setLocal(event.currentTarget.value)}
          />
          {closed && (
            <Alert color="yellow" variant="light" role="status" p="xs">
              {t('later.window')}
            </Alert>
          )}
          <Switch
            label={t('later.cancelOnReply')}
            checked={cancel}
            onChange={(event) => setCancel(event.currentTarget.checked)}
          />
          {problem && (
            <Alert color="red" variant="light" p="xs">
              {problem}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              loading={busy}
              disabled={
                !local ||
                wrong !== null ||
                (entry !== undefined &&
                  !content.template &&
                  !content.media_id &&
                  !text.trim())
              }
            >
              {entry ? t('common.save') : t('later.schedule')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
