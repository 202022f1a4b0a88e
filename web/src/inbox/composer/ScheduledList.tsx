import { Button, Group, Text } from '@mantine/core'
import { IconAlertCircle, IconClock } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, failureOf, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type {
  Conversation,
  ScheduledContent,
  ScheduledMessage,
} from '../../api/types'
import { contentAddress } from '../../api/upload'
import { useAttempt } from '../../api/useAttempt'
import { Dialog } from '../../ui/Dialog'
import { dateAndTime } from '../../ui/format'
import { plainText } from '../../ui/RichText'
import { LaterDialog } from './LaterDialog'
import { refusal } from '../refusal'
import { dismissScheduled } from './useScheduled'
import classes from './Later.module.css'

/** whyFailed returns why a scheduled message was not sent, in the user's language. */
export function whyFailed(
  error: NonNullable<ScheduledMessage['error']>,
  t: TFunction,
): string {
  return (
    t(`scheduled.reason.${error.code}`, { defaultValue: '' }) ||
    refusal(failureOf(409, error), t)
  )
}

/** contentOf returns the content of a scheduled message as a request body. */
function contentOf({
  text,
  media_id,
  template,
}: ScheduledMessage): ScheduledContent {
  if (template)
    return {
      template: {
        ...template,
        parameters: template.parameters as NonNullable<
          ScheduledContent['template']
        >['parameters'],
      },
    }
  return { ...(media_id ? { media_id } : {}), ...(text ? { text } : {}) }
}

/** wordsOf returns a one-line preview of a scheduled message. */
function wordsOf({ text, template }: ScheduledMessage, t: TFunction): string {
  if (!template) return plainText(text ?? '')
  const values = template.parameters.flatMap((one) =>
    one.text ? [one.text] : [],
  )
  return [t('scheduled.template', { name: template.name }), values.join(', ')]
    .filter(Boolean)
    .join(': ')
}

/** ScheduledList lists a conversation's scheduled and failed messages. */
export function ScheduledList({
  conversation,
  entries,
}: {
  conversation: Conversation
  entries: ScheduledMessage[]
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const { user } = useMe()
  const [changing, setChanging] = useState<ScheduledMessage | null>(null)
  const [cancelling, setCancelling] = useState<ScheduledMessage | null>(null)
  const mayCancel = (one: ScheduledMessage) =>
    one.created_by.id === user.id ||
    conversation.assignee === user.id ||
    user.role !== 'agent'
  const cancel = async ({ id }: ScheduledMessage) => {
    setCancelling(null)
    await attempt(
      () => unwrap(api.DELETE('/scheduled/{id}', { params: { path: { id } } })),
      t('scheduled.cancelled'),
    )
    await client.invalidateQueries({
      queryKey: keys.scheduled(conversation.id),
    })
  }
  return (
    <section
      className={classes.scheduled}
      aria-label={t('scheduled.title')}
      tabIndex={0}
    >
      <p className={classes.title} aria-hidden>
        {t('scheduled.title')}
      </p>
      <ul>
        {entries.map((one) => {
          const failed = one.status === 'failed'
          const by =
            one.created_by.id === user.id
              ? t('conversation.you')
              : one.created_by.name
          return (
            <li key={one.id} className={classes.entry}>
              {failed ? <IconAlertCircle size={18} /> : <IconClock size={18} />}
              <div>
                <p>
                  {one.media_id && (
                    <>
                      <a
                        href={contentAddress(one.media_id)}
                        target="_blank"
                        rel="noopener noreferrer"
                      >
                        {t('scheduled.file')}
                      </a>
                      {one.text && ': '}
                    </>
                  )}
                  {wordsOf(one, t)}
                </p>
                <p className={classes.meta}>
                  {[
                    dateAndTime(one.send_at),
                    by,
                    failed ? t('status.failed') : t('scheduled.waiting'),
                    !failed &&
                      one.cancel_on_reply &&
                      t('scheduled.cancelsOnReply'),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
                {one.warning && (
                  <p className={classes.warning}>{t('scheduled.window')}</p>
                )}
                {one.error && (
                  <p className={classes.failed}>{whyFailed(one.error, t)}</p>
                )}
              </div>
              <div className={classes.buttons}>
                {failed && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => dismissScheduled(one.id, user.id)}
                  >
                    {t('scheduled.dismiss')}
                  </Button>
                )}
                {!failed && one.created_by.id === user.id && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => setChanging(one)}
                  >
                    {t('scheduled.change')}
                  </Button>
                )}
                {!failed && mayCancel(one) && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => setCancelling(one)}
                  >
                    {t('scheduled.cancel')}
                  </Button>
                )}
              </div>
            </li>
          )
        })}
      </ul>
      {changing && (
        <LaterDialog
          conversation={conversation}
          entry={changing}
          content={contentOf(changing)}
          preview={wordsOf(changing, t)}
          onClose={() => setChanging(null)}
          onDone={() => setChanging(null)}
        />
      )}
      {cancelling && (
        <Dialog
          role="alertdialog"
          title={t('scheduled.ask')}
          onClose={() => setCancelling(null)}
        >
          <Text size="sm" mb="md">
            {t('scheduled.askText', { time: dateAndTime(cancelling.send_at) })}
          </Text>
          <Group justify="flex-end">
            <Button
              variant="default"
              data-autofocus
              onClick={() => setCancelling(null)}
            >
              {t('scheduled.keep')}
            </Button>
            <Button color="red" onClick={() => void cancel(cancelling)}>
              {t('scheduled.cancel')}
            </Button>
          </Group>
        </Dialog>
      )}
    </section>
  )
}
