import { Alert, Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useChannels } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { useActions } from '../actions'
import { useRestriction } from './useRestriction'

type Props = {
  conversation: Conversation
  refusal: string | undefined
  onDismiss: () => void
  onNote: () => void
}

/** ComposerNotices shows errors and restrictions above the text field. */
export function ComposerNotices({
  conversation,
  refusal,
  onDismiss,
  onNote,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { attempt } = useActions()
  const channels = useChannels().data
  const listed = channels?.find((one) => one.id === conversation.channel)
  // Archived numbers are not in the list.
  const unlisted = useQuery({
    queryKey: keys.channel(conversation.channel),
    enabled: channels !== undefined && !listed,
    queryFn: () =>
      unwrap(
        api.GET('/channels/{id}', {
          params: { path: { id: conversation.channel } },
        }),
      ),
  }).data
  const channel = listed ?? unlisted
  const id = conversation.contact
  const contact = useQuery({
    queryKey: keys.contact(id ?? ''),
    enabled: id !== null,
    queryFn: () =>
      unwrap(api.GET('/contacts/{id}', { params: { path: { id: id ?? '' } } })),
  }).data
  const unblock = () =>
    attempt(async () =>
      client.setQueryData(
        keys.contact(id ?? ''),
        await unwrap(
          api.PATCH('/contacts/{id}', {
            params: { path: { id: id ?? '' } },
            body: { blocked: false },
          }),
        ),
      ),
    )
  return (
    <>
      {refusal && (
        <Alert
          color="red"
          variant="light"
          p="xs"
          mb={6}
          withCloseButton
          closeButtonLabel={t('common.dismiss')}
          onClose={onDismiss}
        >
          {refusal}
        </Alert>
      )}
      <Restricted conversation={conversation} onNote={onNote} />
      {contact?.blocked && (
        <Alert color="red" variant="light" p="xs" mb={6} role="status">
          <Group justify="space-between">
            <span>{t('refusal.contact_blocked')}</span>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => void unblock()}
            >
              {t('composer.unblock')}
            </Button>
          </Group>
        </Alert>
      )}
      {channel?.status === 'disconnected' && (
        <Alert color="red" variant="light" p="xs" mb={6} role="status">
          {t(
            channel.archived_at
              ? 'refusal.channel_archived'
              : 'refusal.channel_disconnected',
          )}
        </Alert>
      )}
    </>
  )
}

/** Restricted explains why the user cannot reply and offers what they can do instead. */
function Restricted({
  conversation,
  onNote,
}: {
  conversation: Conversation
  onNote: () => void
}) {
  const { t } = useTranslation()
  const { take } = useActions()
  const restriction = useRestriction(conversation)
  if (!restriction) return null
  const { responsible } = restriction
  const text =
    responsible === null
      ? t('composer.takeFirst')
      : responsible
        ? t('composer.onlyOne', { name: responsible })
        : t('refusal.attendance_restricted')
  return (
    <Alert color="yellow" variant="light" p="xs" mb={6} role="status">
      <Group justify="space-between">
        <span>{text}</span>
        {responsible === null ? (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void take(conversation)}
          >
            {t('conversation.take')}
          </Button>
        ) : (
          <Button size="compact-xs" variant="default" onClick={onNote}>
            {t('composer.writeNote')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
