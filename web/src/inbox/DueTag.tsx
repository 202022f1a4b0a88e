import { IconAlarm } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../api/types'
import { dateAndTime } from '../ui/format'
import { useNow } from '../ui/useNow'
import { dueOf, dueShort, dueText, dueTone } from './due'
import classes from './ConversationPane.module.css'

/** DueTag shows the most urgent target of the open case, and when it is due. It is a component of its own, so that time re-renders nothing else. */
export function DueTag({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const now = useNow()
  const due = dueOf(conversation)
  if (!due) return null
  const text = dueText(due, now, t)
  return (
    <span
      role="img"
      aria-label={text}
      title={`${text} · ${dateAndTime(due.due_at)}`}
      className={classes.due}
      data-tone={dueTone(due, now)}
    >
      <IconAlarm size={14} aria-hidden />
      <span className={classes.target}>{t(`sla.${due.target}`)}</span>
      {dueShort(due, now)}
    </span>
  )
}
