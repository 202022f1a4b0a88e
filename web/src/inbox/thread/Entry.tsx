import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowNames } from '../../api/queries'
import type { Message, TimelineEntry } from '../../api/types'
import { clock } from '../../ui/format'
import { Bubble, type BubbleContext } from './Bubble'
import { EventLine } from './Events'
import { NoteText } from './NoteText'
import bubble from './Bubble.module.css'

type Props = BubbleContext & {
  entry: TimelineEntry
  names: RowNames
  quoted: Message | undefined
  find: string
  found: boolean
}

/** Entry is one line of the thread: a message, a note or an event of the case. */
export const Entry = memo(function Entry({ entry, names, ...rest }: Props) {
  const { t } = useTranslation()
  if (entry.kind === 'message')
    return <Bubble message={entry.message} {...rest} />
  if (entry.kind !== 'note') return <EventLine entry={entry} names={names} />
  const author =
    entry.note.author.id === rest.me
      ? t('conversation.you')
      : entry.note.author.name
  return (
    <article
      className={bubble.bubble}
      data-side="out"
      data-note
      data-entry={entry.id}
      data-found={rest.found || undefined}
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
})
