import { IconBellOff, IconClockPause, IconEye, IconPinFilled } from '@tabler/icons-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import type { Conversation, Ref } from '../api/types'
import { Avatar } from '../ui/Avatar'
import { moment, number } from '../ui/format'
import { Tick, type Status } from '../ui/Tick'
import { useCached } from '../ui/useCached'
import { useLongPress } from '../ui/useLongPress'
import { useDraft } from './drafts'
import { preview, waited, waitedSeconds, waitTone } from './preview'
import { useNow } from './useNow'
import classes from './Row.module.css'

type Props = {
  conversation: Conversation
  active: boolean
  selected: boolean
  personName?: string
  sectorName?: string
  labelNames: string
  me: string
  index: number
  total: number
  onOpen: (id: string) => void
  onHold: (id: string) => void
}

const none: Ref[] = []

/** useRowName is the accessible name of a row: "{name}, {n} unread, {preview}, {time}". */
function useRowName(conversation: Conversation, text: string): string {
  const { t } = useTranslation()
  return [
    conversation.name,
    conversation.unread_count > 0 ? t('row.unread', { count: conversation.unread_count }) : '',
    text,
    conversation.last_message ? moment(conversation.last_message.created_at) : '',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Row is one conversation of the list. */
export const Row = memo(function Row({ conversation, active, selected, personName, sectorName, labelNames, me, index, total, onOpen, onHold }: Props) {
  const { t } = useTranslation()
  const now = useNow()
  const local = useDraft(conversation.id)?.text
  const draft = active ? '' : (local ?? conversation.draft?.text ?? '')
  const last = conversation.last_message
  const text = draft ? `${t('row.draft')} ${draft}` : preview(last, t)
  const viewers = (useCached<Ref[]>(keys.viewing(conversation.id)) ?? none).filter((one) => one.id !== me)
  const press = useLongPress(() => onOpen(conversation.id), () => onHold(conversation.id))
  const seconds = waitedSeconds(conversation, now)
  const name = useRowName(conversation, text)
  const outbound = last?.direction === 'outbound'
  const status = last?.status && last.status !== 'received' ? (last.status as Status) : null
  return (
    <div
      role="option"
      id={`row-${conversation.id}`}
      aria-selected={active}
      aria-posinset={index + 1}
      aria-setsize={total}
      className={classes.row}
      data-active={active || undefined}
      data-selected={selected || undefined}
      data-unread={conversation.unread || undefined}
      {...press}
    >
      <span className="visually-hidden">{name}</span>
      <Avatar id={conversation.contact ?? conversation.id} name={conversation.name} group={conversation.kind === 'group'} />
      <div className={classes.body} aria-hidden>
        <div className={classes.line}>
          <span className={classes.name}>{conversation.name}</span>
          {conversation.pinned && <IconPinFilled size={13} className={classes.mark} />}
          {conversation.muted && <IconBellOff size={13} className={classes.mark} />}
          {conversation.snoozed_until && <IconClockPause size={13} className={classes.mark} />}
          <span className={classes.time}>{last ? moment(last.created_at, new Date(now)) : ''}</span>
        </div>
        <div className={classes.line}>
          <span className={classes.preview}>
            {draft ? (
              <>
                <span className={classes.draft}>{t('row.draft')}</span> {draft}
              </>
            ) : (
              <>
                {outbound && status && <Tick status={status} />} {text}
              </>
            )}
          </span>
          {conversation.unread && (
            <span className={classes.badge}>{conversation.unread_count > 0 ? number(conversation.unread_count) : ''}</span>
          )}
        </div>
        <div className={classes.tags}>
          {seconds !== null && (
            <span className={classes.tag} data-tone={waitTone(seconds)}>
              {waited(seconds)}
            </span>
          )}
          {sectorName && <span className={classes.tag}>{sectorName}</span>}
          {personName && <span className={classes.tag}>{personName}</span>}
          {labelNames && <span className={classes.tag}>{labelNames}</span>}
          {viewers.map((one) => (
            <span key={one.id} className={classes.tag} data-tone="viewing" title={t('conversation.isViewing', { name: one.name })}><IconEye size={12} /> {one.name}</span>
          ))}
        </div>
      </div>
    </div>
  )
})
