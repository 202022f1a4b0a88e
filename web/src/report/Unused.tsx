import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import classes from './Report.module.css'

/** Unused says that there is nothing to show, with a link to the settings page for those who can open it. */
export function Unused({ text, page }: { text: string; page: string }) {
  const { t } = useTranslation()
  const may = useMe().scopes.includes('company:manage')
  return (
    <p className={classes.nothing}>
      {text}{' '}
      {may && (
        <Link
          to="/settings/$"
          params={{ _splat: page }}
          className={`${classes.settings} ${classes.control}`}
        >
          {t('report.setUp')}
        </Link>
      )}
    </p>
  )
}
