import { IconBan, IconBolt } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { clock } from '../../ui/format'
import { RichText } from '../../ui/RichText'
import { Tick } from '../../ui/Tick'
import { Attached } from './Attached'
import { BubbleActions } from './BubbleActions'
import { FormAnswers } from './FormAnswers'
import { Offer } from './Offer'
import { preview } from '../preview'
import { SendAgain } from './SendAgain'
import classes from './Bubble.module.css'

/** senderOf returns the sender of a message for the article's accessible name. customer is the name of the conversation. */
export function senderOf(
  message: Message,
  customer: string,
  me: string,
  t: TFunction,
): string {
  if (message.direction === 'inbound') return message.author?.name ?? customer
  if (message.origin === 'phone') return t('conversation.phone')
  if (message.origin === 'automation') return t('conversation.automatic')
  const person =
    message.sent_by?.id === me ? t('conversation.you') : message.sent_by?.name
  if (message.integration)
    return [person, message.integration.name].filter(Boolean).join(' · ')
  return person ?? t('conversation.integration')
}

type Props = {
  message: Message
  me: string
  customer: string
  group: boolean
  quoted: Message | undefined
  find: string
  found: boolean
  onReply: (message: Message) => void
  onGoTo: (id: string) => void
  onCard: (message: Message) => void
}

/** Bubble is one message. */
export function Bubble({
  message,
  me,
  customer,
  group,
  quoted,
  find,
  found,
  onReply,
  onGoTo,
  onCard,
}: Props) {
  const { t } = useTranslation()
  const outbound = message.direction === 'outbound'
  const sender = senderOf(message, customer, me, t)
  const status =
    outbound && message.status !== 'received' ? message.status : null
  const label = [
    sender,
    clock(message.created_at),
    status ? t(`status.${status}`) : '',
  ]
    .filter(Boolean)
    .join(', ')
  const automatic = message.origin === 'automation'
  const named =
    (outbound &&
      (message.sent_by?.id !== me || message.integration !== null)) ||
    group
  const hit =
    find !== '' &&
    (message.text ?? '').toLocaleLowerCase().includes(find.toLocaleLowerCase())
  return (
    <article
      className={classes.bubble}
      data-side={outbound ? 'out' : 'in'}
      data-entry={message.id}
      data-hit={hit || undefined}
      data-found={found || undefined}
      aria-label={label}
    >
      {named && (
        <p className={classes.author} data-automatic={automatic || undefined}>
          {automatic && <IconBolt size={13} aria-hidden />}
          {sender}
        </p>
      )}
      {message.reply_to_external_id && (
        <div className={classes.quote}>
          <strong>
            {quoted
              ? senderOf(quoted, customer, me, t)
              : t('conversation.earlier')}
          </strong>
          {quoted && <span>{preview(quoted, t)}</span>}
          {quoted && (
            <button
              type="button"
              aria-label={t('conversation.goToQuoted')}
              onClick={() => onGoTo(quoted.id)}
            />
          )}
        </div>
      )}
      {message.revoked_at && !message.text && !message.media ? (
        <p className={classes.gone}>
          <IconBan size={15} /> {t('conversation.deleted')}
        </p>
      ) : (
        <>
          <Attached message={message} />
          {message.choice && (
            <p className={classes.choice}>
              <small>{t('message.chose')}</small> {message.choice.title}
            </p>
          )}
          {message.interactive && <Offer offer={message.interactive} />}
          {message.form && <FormAnswers form={message.form} />}
          {message.text &&
            !message.interactive &&
            !message.form &&
            !message.notice &&
            message.text !== message.choice?.title &&
            message.type !== 'location' && (
              <p className={classes.text}>
                <RichText text={message.text} />
              </p>
            )}
        </>
      )}
      <span className={classes.meta}>
        {message.standby && (
          <span title={t('conversation.standbyHelp')}>
            {t('conversation.standby')}
          </span>
        )}
        {message.edited_at && <span>{t('conversation.edited')}</span>}
        <time dateTime={message.created_at}>{clock(message.created_at)}</time>
        {status && <Tick status={status} />}
      </span>
      {message.status === 'failed' && <SendAgain message={message} />}
      {message.reactions && message.reactions.length > 0 && (
        <span className={classes.reactions}>
          {message.reactions.map((reaction) => (
            <span
              key={`${reaction.by} ${reaction.emoji}`}
              title={reaction.user?.name ?? customer}
            >
              {reaction.emoji}
            </span>
          ))}
        </span>
      )}
      <BubbleActions message={message} onReply={onReply} onCard={onCard} />
    </article>
  )
}
