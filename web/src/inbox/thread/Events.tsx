import { IconChevronDown, IconCircleCheck } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowNames } from '../../api/queries'
import type { Assignment } from '../../api/types'
import { automaticText, closeReason } from '../../contact/history'
import { clock } from '../../ui/format'
import { Stars } from '../../ui/Stars'
import type { CaseEvent } from './timelineItems'
import classes from './Timeline.module.css'

/** assignmentText says who got a case or passed it on. */
function assignmentText(
  assignment: Assignment,
  names: RowNames,
  t: TFunction,
): string {
  const { action, user, by, sector, sector_from: from, reason } = assignment
  const automatic = automaticText(assignment, names.sector(sector), t)
  if (automatic) return automatic
  const withReason = (text: string) => (reason ? `${text}: ${reason}` : text)
  if (action === 'moved') {
    const person = by?.name ?? t('event.automatic')
    return withReason(
      sector
        ? t('event.moved', { person, sector: names.sector(sector) ?? '—' })
        : t('event.movedOut', { person, sector: names.sector(from) ?? '—' }),
    )
  }
  // When a case is handed back, user is the previous assignee.
  const to =
    (action === 'handed_back' ? undefined : user?.name) ??
    names.sector(sector) ??
    t('event.queue')
  const values = { person: by?.name ?? user?.name ?? t('event.automatic'), to }
  return withReason(
    action === 'took_over'
      ? t('event.tookOver', { person: user?.name ?? values.person })
      : action === 'handed_back' && !sector
        ? t('event.handedBack', values)
        : t('event.transferred', values),
  )
}

/** eventText says what happened to a case. */
function eventText(entry: CaseEvent, names: RowNames, t: TFunction): string {
  if (entry.kind === 'assignment')
    return assignmentText(entry.assignment, names, t)
  const { protocol, closed_by } = entry.attendance
  if (entry.kind === 'attendance_opened') return t('event.opened', { protocol })
  const text = closed_by
    ? t('event.closedBy', { protocol, person: closed_by.name })
    : t('event.closed', { protocol })
  return [text, closeReason(entry.attendance, t)].filter(Boolean).join(': ')
}

/** EventLine is one event of the case. */
export function EventLine({
  entry,
  names,
}: {
  entry: CaseEvent
  names: RowNames
}) {
  const { t } = useTranslation()
  const closed = entry.kind === 'attendance_closed'
  const survey =
    entry.kind === 'attendance_closed' ? entry.attendance.survey : null
  return (
    <div
      className={classes.event}
      data-entry={entry.id}
      data-closed={closed || undefined}
    >
      {closed && <IconCircleCheck size={14} aria-hidden />}
      <span>
        {eventText(entry, names, t)} · {clock(entry.at)}
      </span>
      {survey?.rating && (
        <Rating rating={survey.rating} comment={survey.comment} />
      )}
    </div>
  )
}

/** Rating is the customer's answer to the survey of a case. */
function Rating({
  rating,
  comment,
}: {
  rating: number
  comment: string | null
}) {
  return (
    <p className={classes.rating}>
      <Stars rating={rating} size={16} />
      {comment && <q>{comment}</q>}
    </p>
  )
}

const sameEvents = (a: CaseEvent[], b: CaseEvent[]) =>
  a.length === b.length && a.every((one, at) => one === b[at])

/** Events is a line for neighbouring events: two are shown in full, of more only the last until the reader unfolds them. */
export const Events = memo(
  function Events({
    entries,
    names,
  }: {
    entries: CaseEvent[]
    names: RowNames
  }) {
    const { t } = useTranslation()
    const [open, setOpen] = useState(false)
    const last = entries.at(-1)
    if (!last) return null
    if (entries.length === 2)
      return (
        <div className={classes.event}>
          <span>
            {entries.map((entry, at) => (
              <span key={entry.id} data-entry={entry.id}>
                {at > 0 && ' · '}
                <span>{eventText(entry, names, t)}</span>
              </span>
            ))}{' '}
            · {clock(last.at)}
          </span>
        </div>
      )
    return (
      <div className={classes.events}>
        {(open ? entries : [last]).map((entry) => (
          <EventLine key={`${entry.kind} ${entry.id}`} {...{ entry, names }} />
        ))}
        <button
          type="button"
          className={classes.unfold}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {t('event.count', { n: entries.length })}
          <IconChevronDown size={13} aria-hidden />
        </button>
      </div>
    )
  },
  (a, b) => a.names === b.names && sameEvents(a.entries, b.entries),
)
