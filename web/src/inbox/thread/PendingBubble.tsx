import { useTranslation } from 'react-i18next'
import { clock } from '../../ui/format'
import { Tick } from '../../ui/Tick'
import { Offer } from '../../ui/Offer'
import { Text } from './Bubble'
import type { Item } from '../composer/outbox'
import classes from './Bubble.module.css'

/** PendingBubble is a message that the server has not confirmed. */
export function PendingBubble({ item }: { item: Item }) {
  const { t } = useTranslation()
  const note = item.kind === 'note'
  const label = [
    t('conversation.you'),
    clock(item.created_at),
    note ? t('note.label') : t('status.queued'),
  ].join(', ')
  return (
    <article
      className={classes.bubble}
      data-side="out"
      data-pending
      data-look={item.body.text && !item.preview ? 'text' : undefined}
      data-note={note || undefined}
      data-entry={item.client_id}
      aria-label={label}
    >
      {note && (
        <p className={classes.author}>
          {t('note.title')} · {t('conversation.you')}
        </p>
      )}
      {item.preview && <p className={classes.gone}>{item.preview}</p>}
      {item.body.interactive && <Offer offer={item.body.interactive} />}
      {item.body.text && <Text id={item.client_id} text={item.body.text} />}
      <span className={classes.meta}>
        <time>{clock(item.created_at)}</time>
        <Tick status="queued" />
      </span>
    </article>
  )
}
