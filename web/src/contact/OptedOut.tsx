import { useTranslation } from 'react-i18next'
import type { Contact } from '../api/types'
import { day } from '../ui/format'
import classes from './Details.module.css'

/** OptedOut is a badge for a contact that has opted out of marketing and automatic messages, with the date. */
export function OptedOut({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  if (!contact.opted_out) return null
  return (
    <p className={classes.optedOut} title={t('details.optedOutText')}>
      {contact.opted_out_at
        ? t('details.optedOutSince', { date: day(contact.opted_out_at) })
        : t('details.optedOut')}
    </p>
  )
}
