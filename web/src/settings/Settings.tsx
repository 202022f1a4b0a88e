import { IconBook, IconLock, IconMoodEmpty } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import { Fragment, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { basePath } from '../ui/page'
import { Empty, Loading } from '../ui/states'
import { Checklist } from './Checklist'
import { mayIntegrate, pages } from './pages'
import classes from './Settings.module.css'

const groups = [...new Set(pages.map((page) => page.group))]

/** Settings shows the settings pages that the user can open. */
export default function Settings() {
  const { t } = useTranslation()
  const me = useMe()
  const { _splat: path = '' } = useParams({ strict: false })
  const [name] = path.split('/')
  const shown = pages.filter((page) => page.may(me))
  const page = name ? shown.find((one) => one.path === name) : shown[0]
  const nav = useRef<HTMLElement>(null)
  // On a phone the navigation is one line that scrolls horizontally.
  useEffect(() => {
    void nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [page?.path])
  return (
    <div className={classes.frame}>
      <nav
        ref={nav}
        aria-label={t('settings.navigation')}
        className={classes.nav}
      >
        {groups.map((group) => {
          const members = shown.filter((one) => one.group === group)
          return (
            members.length > 0 && (
              <Fragment key={group}>
                {group !== 'you' && shown.length > 2 && (
                  <h2>{t(`settings.group.${group}`)}</h2>
                )}
                {members.map(({ path: to, Icon }) => (
                  <Link
                    key={to}
                    to="/settings/$"
                    params={{ _splat: to }}
                    aria-current={to === page?.path ? 'page' : undefined}
                  >
                    <Icon size={18} stroke={1.7} aria-hidden />
                    {t(`settings.page.${to}`)}
                  </Link>
                ))}
                {group === 'integrations' && mayIntegrate(me) && (
                  <a href={`${basePath}/docs/`}>
                    <IconBook size={18} stroke={1.7} aria-hidden />
                    {t('settings.reference')}
                  </a>
                )}
              </Fragment>
            )
          )
        })}
      </nav>
      <div className={classes.body}>
        {page && (page === shown[0] || path === 'channels') && <Checklist />}
        {page ? (
          <Suspense fallback={<Loading rows={3} />}>
            <page.Screen key={page.path} />
          </Suspense>
        ) : (
          <NoPage known={pages.some((one) => one.path === name)} />
        )}
      </div>
    </div>
  )
}

/** NoPage says that the user has no access to a page, or that it does not exist. */
function NoPage({ known }: { known: boolean }) {
  const { t } = useTranslation()
  return known ? (
    <Empty
      icon={<IconLock size={28} />}
      title={t('settings.notAllowed')}
      text={t('settings.notAllowedText')}
    />
  ) : (
    <Empty
      icon={<IconMoodEmpty size={28} />}
      title={t('settings.noPage')}
      text={t('settings.noPageText')}
    />
  )
}
