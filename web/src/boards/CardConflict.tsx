import { Button } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNames } from '../api/queries'
import type { Card } from '../api/types'
import { dateAndTime } from '../ui/format'
import { ContactName, ConversationName } from './CardLinks'
import type { FieldName, Fields } from './fields'
import classes from './CardDialog.module.css'

type Props = {
  conflicts: FieldName[]
  mine: Fields
  theirs: Card
  onKeep: (field: FieldName) => void
  onTake: (field: FieldName) => void
}

/** CardConflict shows the user's and the stored value of each conflicting field. */
export function CardConflict({
  conflicts,
  mine,
  theirs,
  onKeep,
  onTake,
}: Props) {
  const { t } = useTranslation()
  const title = useId()
  const names = useNames()
  const shown = (field: FieldName, fields: Fields): ReactNode => {
    if (field === 'priority') return t(`boards.priority.${fields.priority}`)
    if (field === 'due_at')
      return fields.due_at ? dateAndTime(fields.due_at) : ''
    if (field === 'assignee')
      return fields.assignee
        ? (names.person(fields.assignee) ?? t('boards.formerPerson'))
        : t('filters.nobody')
    if (field === 'label_ids')
      return fields.label_ids
        .map((id) => names.label(id)?.name)
        .filter(Boolean)
        .join(', ')
    if (field === 'private')
      return fields.private ? t('boards.yes') : t('boards.no')
    if (field === 'contact')
      return fields.contact && <ContactName id={fields.contact} />
    if (field === 'conversation')
      return (
        fields.conversation && <ConversationName id={fields.conversation} />
      )
    return fields[field] ?? ''
  }
  return (
    <section role="alert" aria-labelledby={title} className={classes.conflict}>
      <h3 id={title} className={classes.conflictTitle}>
        {t('boards.conflict.title')}
      </h3>
      <p className={classes.conflictText}>{t('boards.conflict.text')}</p>
      {conflicts.map((field) => (
        <div
          key={field}
          role="group"
          aria-label={t(`boards.field.${field}`)}
          className={classes.versions}
        >
          <strong>{t(`boards.field.${field}`)}</strong>
          <div className={classes.version}>
            <span>{t('boards.conflict.yours')}</span>
            <p>{shown(field, mine) || t('details.none')}</p>
            <Button size="xs" variant="default" onClick={() => onKeep(field)}>
              {t('boards.conflict.keep')}
            </Button>
          </div>
          <div className={classes.version}>
            <span>{t('boards.conflict.theirs')}</span>
            <p>{shown(field, theirs) || t('details.none')}</p>
            <Button size="xs" variant="default" onClick={() => onTake(field)}>
              {t('boards.conflict.take')}
            </Button>
          </div>
        </div>
      ))}
    </section>
  )
}
