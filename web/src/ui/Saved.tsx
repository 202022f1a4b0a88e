import { useTranslation } from 'react-i18next'
import classes from './page.module.css'

/** Saved says that a change is kept. The status is always there, so that screen readers speak of its text. */
export function Saved({ shown }: { shown: boolean }) {
  const { t } = useTranslation()
  return <span role="status" className={classes.saved}>{shown && t('details.saved')}</span>
}
