import { Button, Group, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { offerAgain } from '../composer/offerForm'
import { useOutbox } from '../composer/OutboxProvider'
import { failureText } from '../refusal'
import classes from './Bubble.module.css'
import { part } from '../../ui/parts'

const Dialog = part(() =>
  import('../../ui/Dialog').then((loaded) => loaded.Dialog),
)

/** These messages waited for the customer's answer, or the window was closed: the same message would be refused or wait again. */
const rewritten = [
  'window_closed',
  'service_window_closed',
  'sender_removed',
  'key_revoked',
  'not_visible',
  'attendance_restricted',
]

/** SendAgain shows why a message failed and sends it again as a new message, or puts it back into the composer. */
export function SendAgain({
  message,
  onWrite,
}: {
  message: Message
  onWrite: (message: Message) => void
}) {
  const { t } = useTranslation()
  const { outbox } = useOutbox(message.conversation)
  const [asking, setAsking] = useState(false)
  const again = () => {
    const body = {
      client_id: crypto.randomUUID(),
      ...(message.interactive
        ? { interactive: offerAgain(message.interactive) }
        : message.text
          ? { text: message.text }
          : {}),
      ...(message.media_id ? { media_id: message.media_id } : {}),
      ...(message.voice ? { voice: true } : {}),
      ...(message.reply_to_external_id
        ? { reply_to_external_id: message.reply_to_external_id }
        : {}),
    }
    setAsking(false)
    void outbox.add({
      client_id: body.client_id,
      conversation: message.conversation,
      kind: 'message',
      body,
      created_at: new Date().toISOString(),
    })
  }
  return (
    <div className={classes.failed}>
      <span>{failureText(message, t)}</span>
      {!message.interactive && rewritten.includes(message.error?.code ?? '') ? (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onWrite(message)}
        >
          {t('message.writeAgain')}
        </Button>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() =>
            message.error?.code === 'uncertain' ? setAsking(true) : again()
          }
        >
          {t('message.sendAgain')}
        </Button>
      )}
      {asking && (
        <Suspense fallback={null}>
          <Dialog
            title={t('message.uncertain')}
            onClose={() => setAsking(false)}
            role="alertdialog"
          >
            <Text size="sm" mb="md">
              {t('message.uncertainText')}
            </Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsking(false)}>
                {t('common.cancel')}
              </Button>
              <Button onClick={again}>{t('message.sendAgain')}</Button>
            </Group>
          </Dialog>
        </Suspense>
      )}
    </div>
  )
}
