import { useTranslation } from 'react-i18next'
import classes from './Saved.module.css'

/** Saved shows "Saved" or another text. The status element is always rendered, so that screen readers announce changes of its text. */
export function Saved({ shown, text }: { shown: boolean; text?: string }) {
  const { t } = useTranslation()
  return (
    <span role="status" className={classes.saved}>
      {shown && (text ?? t('details.saved'))}
    </span>
  )
}
