import { CloseButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries'
import type { Conversation, Message } from '../../api/types'
import { senderOf } from '../thread/Bubble'
import { preview } from '../preview'
import classes from './Composer.module.css'

/** ReplyTo shows the quoted message. */
export function ReplyTo({
  message,
  conversation,
  onClose,
}: {
  message: Message
  conversation: Conversation
  onClose: () => void
}) {
  const { t } = useTranslation()
  const me = useMe().user.id
  return (
    <div className={classes.quote}>
      <div>
        <strong>{senderOf(message, conversation.name, me, t)}</strong>
        <span>{preview(message, t)}</span>
      </div>
      <CloseButton
        size="sm"
        aria-label={t('composer.noReply')}
        onClick={onClose}
      />
    </div>
  )
}
