import { Link, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { Loading } from '../ui/states'
import { pages } from './pages'
import classes from './Settings.module.css'

/** Settings shows the pages that the person may open, one at a time. */
export default function Settings() {
  const { t } = useTranslation()
  const me = useMe()
  const { _splat: path } = useParams({ strict: false })
  const shown = pages.filter((page) => page.may(me))
  const page = shown.find((one) => one.path === path) ?? shown[0]
  return (
    <div className={classes.frame}>
      <nav aria-label={t('settings.navigation')} className={classes.nav}>
        {shown.map(({ path: to, Icon }) => (
          <Link key={to} to="/settings/$" params={{ _splat: to }} aria-current={to === page?.path ? 'page' : undefined}>
            <Icon size={18} stroke={1.7} aria-hidden />
            {t(`settings.page.${to}`)}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<Loading rows={3} />}>{page && <page.Screen />}</Suspense>
    </div>
  )
}
