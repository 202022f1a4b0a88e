import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { clock } from '../../ui/format'
import { Author, type BubbleContext } from './Bubble'
import { BubbleActions } from './BubbleActions'
import { BubbleMeta, Reactions } from './BubbleMeta'
import { Picture } from './Picture'
import { isNamed, senderOf, statusOf } from './sender'
import bubble from './Bubble.module.css'
import classes from './Picture.module.css'

/** An album shows this many pictures; the viewer shows the others. */
const shown = 4

type Props = BubbleContext & { messages: Message[]; found: string | null }

const steps: (string | null)[] = ['queued', 'sent', 'delivered', 'read'] // neither failed nor held messages are part of an album

/** leastOf returns the message that got least far, whose status is that of the album. */
const leastOf = (messages: Message[]) =>
  messages.reduce((least, one) =>
    steps.indexOf(statusOf(one)) < steps.indexOf(statusOf(least)) ? one : least,
  )

const same = (a: Props, b: Props) =>
  a.me === b.me &&
  a.customer === b.customer &&
  a.group === b.group &&
  a.found === b.found &&
  a.onReply === b.onReply &&
  a.onCard === b.onCard &&
  a.messages.length === b.messages.length &&
  a.messages.every((one, at) => one === b.messages[at])

/** Album shows pictures that were sent together in one bubble. */
export const Album = memo(function Album({
  messages,
  found,
  me,
  customer,
  group,
  onReply,
  onCard,
}: Props) {
  const { t } = useTranslation()
  const [first] = messages
  const last = messages.at(-1)
  if (!first || !last) return null
  const sender = senderOf(first, customer, me, t)
  const status = statusOf(leastOf(messages))
  const label = [
    sender,
    clock(last.created_at),
    status ? t(`status.${status}`) : '',
    t('media.album', { n: messages.length }),
  ]
    .filter(Boolean)
    .join(', ')
  const hidden = messages.length - shown
  const shownCount = Math.min(shown, messages.length)
  return (
    <article
      className={bubble.bubble}
      data-side={first.direction === 'outbound' ? 'out' : 'in'}
      data-look="picture"
      aria-label={label}
    >
      {isNamed(first, me, group) && (
        <Author name={sender} automatic={first.origin === 'automation'} />
      )}
      <div className={classes.album} data-count={shownCount}>
        {messages.slice(0, shown).map(
          (message, at) =>
            message.media && (
              <div
                key={message.id}
                className={classes.tile}
                data-entry={message.id}
                data-found={isFound(messages, at, found) || undefined}
              >
                <Picture
                  message={message}
                  media={message.media}
                  more={at === shown - 1 ? Math.max(0, hidden) : 0}
                />
                <BubbleActions
                  message={message}
                  onReply={onReply}
                  onCard={onCard}
                />
              </div>
            ),
        )}
      </div>
      <BubbleMeta message={last} status={status} />
      <Reactions
        reactions={messages.flatMap((one) => one.reactions ?? [])}
        customer={customer}
      />
    </article>
  )
}, same)

/** isFound reports whether a tile is the message that the reader went to, or stands for it. */
const isFound = (messages: Message[], at: number, found: string | null) =>
  found !== null &&
  (messages[at]?.id === found ||
    (at === shown - 1 && messages.slice(shown).some((one) => one.id === found)))
