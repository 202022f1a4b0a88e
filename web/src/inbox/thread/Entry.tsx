import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowNames } from '../../api/queries'
import type { Message, TimelineEntry } from '../../api/types'
import { automaticText, closeReason } from '../../contact/history'
import { clock } from '../../ui/format'
import { Bubble } from './Bubble'
import { NoteText } from './NoteText'
import bubble from './Bubble.module.css'
import classes from './Timeline.module.css'

type Props = {
  entry: TimelineEntry
  me: string
  names: RowNames
  customer: string
  group: boolean
  quoted: Message | undefined
  find: string
  found: boolean
  onReply: (message: Message) => void
  onGoTo: (id: string) => void
  onCard: (message: Message) => void
}

/** Entry is one line of the thread: a message, a note or an event of the case. */
export const Entry = memo(function Entry({
  entry,
  me,
  names,
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
  const event = (text: string) => (
    <div className={classes.event} data-entry={entry.id}>
      <span>
        {text} · {clock(entry.at)}
      </span>
    </div>
  )
  switch (entry.kind) {
    case 'message':
      return (
        <Bubble
          message={entry.message}
          me={me}
          customer={customer}
          group={group}
          quoted={quoted}
          find={find}
          found={found}
          onReply={onReply}
          onGoTo={onGoTo}
          onCard={onCard}
        />
      )
    case 'note': {
      const author =
        entry.note.author.id === me
          ? t('conversation.you')
          : entry.note.author.name
      return (
        <article
          className={bubble.bubble}
          data-side="out"
          data-note
          data-entry={entry.id}
          data-found={found || undefined}
          aria-label={`${author}, ${clock(entry.at)}, ${t('note.label')}`}
        >
          <p className={bubble.author}>
            {t('note.title')} · {author}
          </p>
          <p className={bubble.text}>
            <NoteText note={entry.note} />
          </p>
          <span className={bubble.meta}>
            {entry.note.edited_at && <span>{t('conversation.edited')}</span>}
            <time dateTime={entry.at}>{clock(entry.at)}</time>
          </span>
        </article>
      )
    }
    case 'assignment': {
      const {
        action,
        user,
        by,
        sector,
        sector_from: from,
        reason,
      } = entry.assignment
      const automatic = automaticText(entry.assignment, names.sector(sector), t)
      if (automatic) return event(automatic)
      if (action === 'moved') {
        const person = by?.name ?? t('event.automatic')
        const text = sector
          ? t('event.moved', { person, sector: names.sector(sector) ?? '—' })
          : t('event.movedOut', { person, sector: names.sector(from) ?? '—' })
        return event(reason ? `${text}: ${reason}` : text)
      }
      // When a case is handed back, user is the previous assignee.
      const to =
        (action === 'handed_back' ? undefined : user?.name) ??
        names.sector(sector) ??
        t('event.queue')
      const values = {
        person: by?.name ?? user?.name ?? t('event.automatic'),
        to,
      }
      const text =
        action === 'took_over'
          ? t('event.tookOver', { person: user?.name ?? values.person })
          : action === 'handed_back' && !sector
            ? t('event.handedBack', values)
            : t('event.transferred', values)
      return event(reason ? `${text}: ${reason}` : text)
    }
    case 'attendance_opened':
      return event(t('event.opened', { protocol: entry.attendance.protocol }))
    case 'attendance_closed': {
      const { protocol, closed_by } = entry.attendance
      const text = closed_by
        ? t('event.closedBy', { protocol, person: closed_by.name })
        : t('event.closed', { protocol })
      return event(
        [text, closeReason(entry.attendance, t)].filter(Boolean).join(': '),
      )
    }
  }
})
