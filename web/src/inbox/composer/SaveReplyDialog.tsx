import {
  Alert,
  Button,
  Group,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import { useSubmit } from '../../api/useSubmit'
import { announce } from '../../ui/announce'
import { Dialog } from '../../ui/Dialog'
import { shortcutOf } from './canned'
import { submitWithControl } from './submitWithControl'

/** SaveReplyDialog saves the text of a message as a canned reply, personal or shared. */
export function SaveReplyDialog({
  text: given,
  onClose,
}: {
  text: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const manages = useMe().scopes.includes('replies:manage')
  const [title, setTitle] = useState(
    given.trim().split('\n')[0]?.slice(0, 60) ?? '',
  )
  const [shortcut, setShortcut] = useState(shortcutOf(title))
  const [text, setText] = useState(given)
  const [team, setTeam] = useState(false)
  const { busy, problem, run } = useSubmit()
  const save = async () => {
    const done = await run(async () => {
      await unwrap(
        api.POST('/replies', {
          body: {
            shortcut,
            title: title.trim(),
            text,
            ...(team ? { owner: null } : {}),
          },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.replies })
    })
    if (!done) return
    announce(t('saveReply.saved'))
    onClose()
  }
  return (
    <Dialog title={t('message.saveReply')} onClose={onClose}>
      <form
        onKeyDown={submitWithControl}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <TextInput
            label={t('saveReply.title')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <TextInput
            label={t('saveReply.shortcut')}
            description={t('saveReply.shortcutText')}
            required
            withAsterisk={false}
            maxLength={32}
            leftSection="/"
            value={shortcut}
            onChange={(event) =>
              setShortcut(
                event.currentTarget.value
                  .toLowerCase()
                  .normalize('NFD')
                  .replace(/\p{M}/gu, '')
                  .replace(/[^a-z0-9_-]+/g, '-'),
              )
            }
          />
          <Textarea
            label={t('saveReply.text')}
            required
            withAsterisk={false}
            autosize
            minRows={3}
            maxRows={10}
            maxLength={4096}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {manages && (
            <Switch
              label={t('filters.shared')}
              checked={team}
              onChange={(event) => setTeam(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              loading={busy}
              disabled={!title.trim() || !shortcut || !text.trim()}
            >
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
