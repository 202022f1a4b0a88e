import { IconBan, IconBolt } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { clock } from '../../ui/format'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import { emojiCount, MessageText } from '../../ui/RichText'
import { Offer } from '../../ui/Offer'
import { Advert } from './Advert'
import { Attached } from './Attached'
import { BubbleActions } from './BubbleActions'
import { BubbleMeta, Reactions } from './BubbleMeta'
import { FormAnswers } from './FormAnswers'
import { LongText } from './LongText'
import { preview } from '../preview'
import { failureText } from '../refusal'
import { isNamed, senderOf, statusOf } from './sender'
import { SendAgain } from './SendAgain'
import classes from './Bubble.module.css'

export { senderOf } from './sender'

const EditMessage = part(() =>
  withTexts('talk', import('./EditMessage')).then(
    (loaded) => loaded.EditMessage,
  ),
)

/** BubbleContext is what every message of a thread needs. */
export type BubbleContext = {
  me: string
  customer: string
  group: boolean
  onReply: (message: Message) => void
  onGoTo: (id: string) => void
  onCard: (message: Message) => void
  /** onWrite puts the content of a message that was not sent back into the composer. */
  onWrite: (message: Message) => void
}

type Props = BubbleContext & {
  message: Message
  quoted: Message | undefined
  find: string
  found: boolean
}

/** textOf returns the text of a message that is not part of something else in its bubble. */
const textOf = ({ text, type, ...message }: Message) =>
  message.interactive ||
  message.form ||
  message.notice ||
  text === message.choice?.title ||
  type === 'location' ||
  type === 'contacts'
    ? ''
    : (text ?? '')

/** lookOf returns how the bubble is shaped: pictures reach to its edge, stickers have none, the time stands in the last line of a text or beside the length of a recording. */
function lookOf(message: Message, text: string) {
  if (
    message.type === 'text' &&
    text &&
    !message.edited_at &&
    !message.revoked_at &&
    !message.standby &&
    message.status !== 'held'
  )
    return 'text'
  if (message.revoked_at || !message.media) return undefined
  if (message.type === 'sticker') return 'sticker'
  if (message.type === 'audio') return 'voice'
  if (message.type !== 'image' && message.type !== 'video') return undefined
  return text ? 'captioned' : 'picture'
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
  onWrite,
}: Props) {
  const { t } = useTranslation()
  const [editing, setEditing] = useState(false)
  const article = useRef<HTMLElement>(null)
  const sender = senderOf(message, customer, me, t)
  const status = statusOf(message)
  const label = [
    sender,
    clock(message.created_at),
    status ? t(`status.${status}`) : '',
  ]
    .filter(Boolean)
    .join(', ')
  const hit =
    find !== '' &&
    (message.text ?? '').toLocaleLowerCase().includes(find.toLocaleLowerCase())
  const text = textOf(message)
  const gone = Boolean(message.revoked_at) && !message.text && !message.media
  return (
    <article
      ref={article}
      className={classes.bubble}
      data-side={message.direction === 'outbound' ? 'out' : 'in'}
      data-look={lookOf(message, text)}
      data-held={message.status === 'held' || undefined}
      data-entry={message.id}
      data-hit={hit || undefined}
      data-found={found || undefined}
      aria-label={label}
    >
      {isNamed(message, me, group) && (
        <Author name={sender} automatic={message.origin === 'automation'} />
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
      {gone ? (
        <p className={classes.gone}>
          <IconBan size={15} />{' '}
          {t(
            message.direction === 'inbound' && !group
              ? 'conversation.deleted'
              : 'conversation.deletedHere',
          )}
        </p>
      ) : (
        <>
          {message.referral && <Advert referral={message.referral} />}
          <Attached message={message} />
          {message.choice && (
            <p className={classes.choice}>
              <small>{t('message.chose')}</small> {message.choice.title}
            </p>
          )}
          {message.interactive && <Offer offer={message.interactive} />}
          {message.form && <FormAnswers form={message.form} />}
          {editing ? (
            <Suspense fallback={null}>
              <EditMessage
                message={message}
                onClose={() => {
                  setEditing(false)
                  article.current
                    ?.querySelector<HTMLElement>(`.${classes.actions}`)
                    ?.focus()
                }}
              />
            </Suspense>
          ) : (
            text && <Text id={message.id} text={text} whole={hit} />
          )}
        </>
      )}
      <BubbleMeta message={message} status={status} gone={gone} />
      {message.error && message.status !== 'failed' && (
        <p className={classes.failed}>{failureText(message, t)}</p>
      )}
      {message.status === 'failed' && (
        <SendAgain message={message} onWrite={onWrite} />
      )}
      <Reactions reactions={message.reactions} customer={customer} />
      <BubbleActions
        message={message}
        onReply={onReply}
        onCard={onCard}
        onEdit={() => setEditing(true)}
      />
    </article>
  )
}

/** Author is the name above a message. */
export function Author({
  name,
  automatic,
}: {
  name: string
  automatic: boolean
}) {
  return (
    <p className={classes.author} data-automatic={automatic || undefined}>
      {automatic && <IconBolt size={13} aria-hidden />}
      {name}
    </p>
  )
}

/** Text is the text of a message: large if it is only emoji, folded if it is long. */
export function Text({
  id,
  text,
  whole = false,
}: {
  id: string
  text: string
  whole?: boolean
}) {
  const emoji = emojiCount(text)
  if (emoji > 0)
    return (
      <p className={classes.emoji} data-count={emoji}>
        {text}
      </p>
    )
  return (
    <LongText id={id} text={text} whole={whole}>
      <MessageText text={text} />
      <span className={classes.space} aria-hidden />
    </LongText>
  )
}
