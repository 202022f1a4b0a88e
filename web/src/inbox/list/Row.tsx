import {
  IconAlarm,
  IconBellOff,
  IconClockPause,
  IconEye,
  IconLock,
  IconPhone,
  IconPinFilled,
} from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { memo } from 'react'
import { keys } from '../../api/keys'
import type { Names } from '../../api/queries'
import type { Channel, Conversation, Ref } from '../../api/types'
import { personName as shownName } from '../../contact/erased'
import { moment, number } from '../../ui/format'
import { LabelTag } from '../../ui/LabelTag'
import { Tick, type Status } from '../../ui/Tick'
import { useCached } from '../../ui/useCached'
import { useLongPress } from '../../ui/useLongPress'
import { fromElsewhere, useDraft } from '../composer/drafts'
import { ConversationAvatar } from '../ConversationAvatar'
import { dueOf, dueShort, dueText, dueTone } from '../due'
import { preview, waitText, waitedSeconds, waitTone } from '../preview'
import { fitting, textWidth } from './fitting'
import classes from './Row.module.css'

type ContentProps = {
  conversation: Conversation
  active: boolean
  names: Names
  /** numbers reports whether the company has more than one number. */
  numbers: boolean
  /** width is the width of a row in pixels. */
  width: number
  me: string
  now: number
  t: TFunction
}

type Props = ContentProps & {
  selected: boolean
  /** gone reports whether the conversation no longer belongs to the list. */
  gone: boolean
  index: number
  total: number
  onOpen: (id: string) => void
  onHold: (id: string) => void
}

const none: Ref[] = []

const tickId = (conversation: string) => `row-tick-${conversation}`
const dueId = (conversation: string) => `row-due-${conversation}`
const numberId = (conversation: string) => `row-number-${conversation}`

/** What is beside the tags of a row: its padding and the avatar. */
const rowSpace = 14 + 40 + 12 + 14
/** What is beside the text of a label: padding, dot and the gap to the next tag. */
const labelSpace = 6 + 7 + 5 + 8 + 4

const nameOf = (one: Ref) => one.name

/** The width of the sign before the time left. */
const signWidth = 15

/** tagWidth returns the width of a tag with the gap behind it. */
const tagWidth = (text: string) => Math.min(130, textWidth(text) + 16) + 4

/** isPrivate reports whether a number is private. Cases of private numbers have protocols of their own. */
const isPrivate = (channel: Channel, { attendance }: Conversation) =>
  channel.private ?? attendance?.protocol.startsWith('ATD-P') ?? false

/** Row is one conversation in the list. Its position changes with every new message above it; its content does not. */
export const Row = memo(function Row({
  selected,
  gone,
  index,
  total,
  onOpen,
  onHold,
  ...content
}: Props) {
  const { id, unread, last_message } = content.conversation
  const press = useLongPress(
    () => onOpen(id),
    () => onHold(id),
  )
  return (
    <div
      role="option"
      id={`row-${id}`}
      aria-describedby={
        [
          last_message?.direction === 'outbound' && tickId(id),
          content.numbers && numberId(id),
          dueOf(content.conversation) && dueId(id),
        ]
          .filter(Boolean)
          .join(' ') || undefined
      }
      aria-selected={content.active}
      aria-posinset={index + 1}
      aria-setsize={total}
      className={classes.row}
      data-active={content.active || undefined}
      data-selected={selected || undefined}
      data-gone={gone || undefined}
      data-unread={unread || undefined}
      {...press}
    >
      <Content {...content} />
    </div>
  )
})

/** rowName returns the accessible name of a row: "{name}, {n} unread, {preview}, {time}". */
const rowName = (
  name: string,
  unread_count: number,
  text: string,
  time: string,
  t: TFunction,
) =>
  [
    name,
    unread_count > 0 ? t('row.unread', { count: unread_count }) : '',
    text,
    time,
  ]
    .filter(Boolean)
    .join(', ')

/** Content is the visible content of a row. It is hidden from screen readers, which read the row's name and, as its description, the tick. */
const Content = memo(function Content({
  conversation,
  active,
  names,
  numbers,
  width,
  me,
  now,
  t,
}: ContentProps) {
  const local = useDraft(conversation.id)
  const draft = active
    ? ''
    : local?.text || fromElsewhere(local, conversation.draft)
  const last = conversation.last_message
  const text = draft ? `${t('row.draft')} ${draft}` : preview(last, t)
  const viewers = (
    useCached<Ref[]>(keys.viewing(conversation.id)) ?? none
  ).filter((one) => one.id !== me)
  const due = dueOf(conversation)
  const left = due ? dueShort(due, now) : ''
  // The target of the company says more than the time that the customer has waited.
  const seconds =
    due && due.target !== 'resolution' ? null : waitedSeconds(conversation, now)
  const time = last ? moment(last.created_at, new Date(now)) : ''
  const wait = seconds === null ? '' : waitText(seconds)
  const channel = numbers ? names.channel(conversation.channel) : undefined
  const sectorName = names.sector(conversation.sector)
  const personName = names.person(conversation.assignee)
  const name = shownName(conversation, t)
  const labels = conversation.label_ids
    .map((id) => names.label(id))
    .filter((label) => label !== undefined)
  const shown = fitting(
    labels.map((label) => textWidth(label.name) + labelSpace),
    width -
      [left, wait, sectorName, personName, ...viewers.map(nameOf)]
        .filter(Boolean)
        .reduce(
          (sum, text) => sum + tagWidth(text ?? ''),
          rowSpace + (due ? signWidth : 0),
        ),
  )
  return (
    <>
      <span className="spoken">
        {rowName(name, conversation.unread_count, text, time, t)}
      </span>
      <ConversationAvatar conversation={conversation} name={name} />
      <div className={classes.body} aria-hidden>
        <div className={classes.line}>
          <span className={classes.name}>{name}</span>
          {channel && (
            <span id={numberId(conversation.id)} className={classes.number}>
              {isPrivate(channel, conversation) ? (
                <IconLock size={12} aria-label={t('conversation.private')} />
              ) : (
                <IconPhone size={12} />
              )}
              {channel.name}
            </span>
          )}
          {conversation.pinned && (
            <IconPinFilled size={13} className={classes.mark} />
          )}
          {conversation.muted && (
            <IconBellOff size={13} className={classes.mark} />
          )}
          {conversation.snoozed_until && (
            <IconClockPause size={13} className={classes.mark} />
          )}
          <span className={classes.time}>{time}</span>
        </div>
        <div className={classes.line}>
          {!draft &&
            last?.direction === 'outbound' &&
            last.status !== 'received' && (
              <span id={tickId(conversation.id)}>
                <Tick status={last.status satisfies Status} />
              </span>
            )}
          <span className={classes.preview}>
            {draft ? (
              <>
                <span className={classes.draft}>{t('row.draft')}</span> {draft}
              </>
            ) : (
              text
            )}
          </span>
          {conversation.unread && (
            <span className={classes.badge}>
              {conversation.unread_count > 0
                ? number(conversation.unread_count)
                : ''}
            </span>
          )}
        </div>
        <div className={classes.tags}>
          {due && (
            <span
              id={dueId(conversation.id)}
              role="img"
              aria-label={dueText(due, now, t)}
              title={dueText(due, now, t)}
              className={classes.tag}
              data-tone={dueTone(due, now)}
            >
              <IconAlarm size={12} /> {left}
            </span>
          )}
          {seconds !== null && (
            <span className={classes.tag} data-tone={waitTone(seconds)}>
              {wait}
            </span>
          )}
          {sectorName && <span className={classes.tag}>{sectorName}</span>}
          {personName && <span className={classes.tag}>{personName}</span>}
          {labels.slice(0, shown).map((label) => (
            <LabelTag key={label.id} label={label} />
          ))}
          {shown < labels.length && (
            <span
              className={classes.more}
              title={labels
                .slice(shown)
                .map((label) => label.name)
                .join(', ')}
            >
              +{labels.length - shown}
            </span>
          )}
          {viewers.map((one) => (
            <span
              key={one.id}
              className={classes.tag}
              data-tone="viewing"
              title={t('conversation.isViewing', { name: one.name })}
            >
              <IconEye size={12} /> {one.name}
            </span>
          ))}
        </div>
      </div>
    </>
  )
})
