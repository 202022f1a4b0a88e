import { useTranslation } from 'react-i18next'
import classes from './Saved.module.css'

/** Saved says that a change is kept, or another text. The status is always there, so that screen readers speak of its text. */
export function Saved({ shown, text }: { shown: boolean; text?: string }) {
  const { t } = useTranslation()
  return (
    <span role="status" className={classes.saved}>
      {shown && (text ?? t('details.saved'))}
    </span>
  )
}
