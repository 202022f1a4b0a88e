import { Button, Group, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { putMessage } from '../../api/cache'
import { api, unwrap } from '../../api/client'
import type { Message } from '../../api/types'
import { useAttempt } from '../../api/useAttempt'
import { submitWithControl } from '../composer/submitWithControl'
import { longestCaption } from '../composer/written'
import classes from './Bubble.module.css'

/** EditMessage edits the text of a message that waits for the customer's answer, or that was sent from a linked number. It stays open if that is not possible any more, so that nothing typed is lost. */
export function EditMessage({
  message,
  onClose,
}: {
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const [text, setText] = useState(message.text ?? '')
  const [busy, setBusy] = useState(false)
  const caption = message.media_id !== null
  const isSame = text.trim() === (message.text ?? '')
  const ready = (caption || text.trim() !== '') && !isSame && !busy
  const save = async () => {
    setBusy(true)
    const done = await attempt(
      async () =>
        putMessage(
          client,
          await unwrap(
            api.PATCH('/messages/{id}', {
              params: { path: { id: message.id } },
              body: { text: text.trim() },
            }),
          ),
          false,
        ),
      t('held.saved'),
    )
    setBusy(false)
    if (done) onClose()
  }
  return (
    <form
      className={classes.edit}
      onKeyDown={(event) => {
        submitWithControl(event)
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) void save()
      }}
    >
      <Textarea
        aria-label={t('held.editing')}
        autoFocus
        autosize
        minRows={1}
        maxRows={12}
        maxLength={caption ? longestCaption : 4096}
        value={text}
        onFocus={({ currentTarget }) =>
          currentTarget.setSelectionRange(text.length, text.length)
        }
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="compact-sm" variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="compact-sm" type="submit" disabled={!ready}>
          {t('common.save')}
        </Button>
      </Group>
    </form>
  )
}
