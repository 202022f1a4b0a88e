import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { clock, moment } from '../../ui/format'
import { Tick, type Status } from '../../ui/Tick'
import classes from './Bubble.module.css'

/** BubbleMeta is the last line of a message: its time and status. */
export function BubbleMeta({
  message,
  status,
  gone = false,
}: {
  message: Message
  status: Status | null
  /** Whether the bubble says only that the message was deleted. */
  gone?: boolean
}) {
  const { t } = useTranslation()
  return (
    <span className={classes.meta}>
      {message.standby && (
        <span title={t('conversation.standbyHelp')}>
          {t('conversation.standby')}
        </span>
      )}
      {message.revoked_at
        ? !gone && <span>{t('conversation.isDeleted')}</span>
        : message.edited_at && <span>{t('conversation.edited')}</span>}
      {status === 'held' && <span aria-hidden>{t('status.held')} ·</span>}
      <time dateTime={message.created_at}>
        {status === 'held'
          ? moment(message.created_at) // below the separators of the days
          : clock(message.created_at)}
      </time>
      {status && !gone && <Tick status={status} />}
    </span>
  )
}

/** Reactions shows the reactions to a message. */
export function Reactions({
  reactions,
  customer,
}: {
  reactions: Message['reactions'] | undefined
  customer: string
}) {
  if (!reactions || reactions.length === 0) return null
  return (
    <span className={classes.reactions}>
      {reactions.map((reaction) => (
        <span
          key={`${reaction.by} ${reaction.emoji}`}
          title={reaction.user?.name ?? customer}
        >
          {reaction.emoji}
        </span>
      ))}
    </span>
  )
}
