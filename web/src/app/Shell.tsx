import {
  IconActivity,
  IconAddressBook,
  IconBell,
  IconChartBar,
  IconDots,
  IconInbox,
  IconKeyboard,
  IconLayoutKanban,
  IconLogout,
  IconSearch,
  IconSettings,
  IconUser,
} from '@tabler/icons-react'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { forgetPush } from '../api/push'
import { useMe, usePreferences } from '../api/queries'
import { tellTabs } from '../api/sessionTabs'
import { useAttempt } from '../api/useAttempt'
import { presences, presenceText, usePresence } from '../api/usePresence'
import { forgetDrafts } from '../inbox/composer/drafts'
import { useUnsent } from '../inbox/composer/OutboxProvider'
import { typing } from '../inbox/useInboxKeys'
import { ActionMenu } from '../ui/ActionMenu'
import type { MenuAction } from '../ui/MenuBox'
import { Avatar } from '../ui/Avatar'
import { withTexts } from '../ui/i18n'
import { useDownloads } from '../ui/downloads'
import { Logo } from '../ui/Logo'
import { basePath } from '../ui/page'
import { loadParts, part } from '../ui/parts'
import { usePhone } from '../ui/usePhone'
import { Banners } from './Banners'
import { keepKeys } from './keepKeys'
import {
  NotificationCount,
  NotificationName,
  Notifications,
} from './Notifications'
import { useNotifications } from './useNotifications'
import classes from './Shell.module.css'

const Palette = part(() =>
  withTexts('settings', import('./Palette')).then((loaded) => loaded.default),
)
const NotificationDialog = part(() =>
  withTexts('talk', import('./NotificationBox')).then(
    (loaded) => loaded.NotificationDialog,
  ),
)
const Confirm = part(() =>
  import('../api/Confirm').then((loaded) => loaded.Confirm),
)
const Downloads = part(() =>
  withTexts('report', import('./Downloads')).then((loaded) => loaded.default),
)
const Shortcuts = part(() =>
  import('./Shortcuts').then((loaded) => loaded.default),
)

const places = [
  { to: '/inbox', key: 'inbox', Icon: IconInbox, go: 'i' },
  { to: '/contacts', key: 'contacts', Icon: IconAddressBook, go: 'c' },
  { to: '/boards', key: 'boards', Icon: IconLayoutKanban, go: 'b' },
  { to: '/now', key: 'now', Icon: IconActivity, go: '' },
  { to: '/report', key: 'report', Icon: IconChartBar, go: 'r' },
  { to: '/settings', key: 'settings', Icon: IconSettings, go: '' },
] as const

/** The links in the tab bar of a phone; the others are behind "More". */
const tabs: readonly string[] = ['inbox', 'contacts', 'boards']

/** Notifier is separate from the shell because counts change with every message. */
function Notifier() {
  useNotifications()
  return null
}

/** Saving shows the downloads, if there are any. It is separate from the shell because their progress changes often. */
function Saving() {
  return useDownloads().length > 0 && <Downloads />
}

/** Shell is the frame of all screens: navigation, banners and global dialogs. */
export function Shell() {
  const { t } = useTranslation()
  const me = useMe()
  const phone = usePhone()
  const { shortcuts } = usePreferences()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const inside = /^\/inbox\/[^/]+\/[^/]/.test(pathname) // a conversation is open: on a phone it has the whole screen
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const [notifications, setNotifications] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => void loadParts(), 3000)
    return () => clearTimeout(timer)
  }, [])

  useEffect(() => {
    let going = false
    const key = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        keepKeys('palette-search')
        setPalette(true)
        return
      }
      if (
        !shortcuts ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        typing(event)
      )
        return
      const place = going
        ? places.find((one) => one.go === event.key)
        : undefined
      const toNotifications = going && event.key === 'n'
      going = event.key === 'g'
      if (place) void navigate({ to: place.to })
      else if (toNotifications) setNotifications(true)
      else if (event.key === '?') setHelp(true)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [navigate, shortcuts])

  const { outbox, count: unsent } = useUnsent()
  const attempt = useAttempt()
  const [leaving, setLeaving] = useState(false)
  /** leave signs the user out and removes their drafts, unsent messages and push notifications from this browser. */
  const leave = async () => {
    outbox.hold()
    try {
      await unwrap(api.DELETE('/session'))
    } catch (error) {
      // The session has already ended or belongs to someone else.
      if (!(
        error instanceof Failure &&
        (error.status === 401 || error.code === 'session_changed')
      )) {
        outbox.resume()
        throw error
      }
    }
    await outbox.clear()
    forgetDrafts()
    await forgetPush(me.user.id)
    tellTabs(me.user.id, 'left')
    location.assign(`${basePath}/`)
  }
  const signOut = () => {
    if (unsent > 0) setLeaving(true)
    else void attempt(leave)
  }
  const [presence, choosePresence] = usePresence()
  const shown = places.filter(
    ({ key }) =>
      (key !== 'now' && key !== 'report') || me.scopes.includes('reports:read'),
  )
  const account: MenuAction[] = [
    ...presences.map((one) => ({
      key: one,
      label: t(presenceText[one]),
      icon: <span aria-hidden className={classes.dot} data-presence={one} />,
      className: one === presence ? classes.chosen : undefined,
      onClick: () => void choosePresence(one),
    })),
    {
      key: 'profile',
      label: t('shell.profile'),
      icon: <IconUser size={16} />,
      onClick: () =>
        void navigate({ to: '/settings/$', params: { _splat: 'profile' } }),
    },
    {
      key: 'keys',
      label: t('shell.shortcuts'),
      icon: <IconKeyboard size={16} />,
      onClick: () => setHelp(true),
    },
    {
      key: 'out',
      label: t('shell.signOut'),
      icon: <IconLogout size={16} />,
      onClick: signOut,
    },
  ]
  const more: MenuAction[] = [
    {
      key: 'search',
      label: t('shell.search'),
      icon: <IconSearch size={16} />,
      onClick: () => setPalette(true),
    },
    {
      key: 'notifications',
      label: <NotificationName />,
      icon: <IconBell size={16} />,
      onClick: () => setNotifications(true),
    },
    ...shown
      .filter(({ key }) => !tabs.includes(key))
      .map(({ to, key, Icon }) => ({
        key,
        label: t(`shell.${key}`),
        icon: <Icon size={16} />,
        onClick: () => void navigate({ to }),
      })),
    ...account,
  ]
  const who = (
    <>
      {me.user.name}
      <br />
      {me.company.name}
    </>
  )
  return (
    <div className={classes.shell}>
      <a href="#content" className="skip-link">
        {t('shell.skip')}
      </a>
      <header className={classes.rail} data-inside={inside || undefined}>
        <span className={classes.logo}>
          <Logo size={32} />
        </span>
        <nav aria-label={t('shell.main')} className={classes.nav}>
          {shown
            .filter(({ key }) => !phone || tabs.includes(key))
            .map(({ to, key, Icon }) => (
              <Link
                key={key}
                to={to}
                className={classes.link}
                aria-current={pathname.startsWith(to) ? 'page' : undefined}
                title={t(`shell.${key}`)}
              >
                <Icon size={22} stroke={1.7} aria-hidden />
                <span className={classes.text}>{t(`shell.${key}`)}</span>
              </Link>
            ))}
          {phone && (
            <ActionMenu
              title={who}
              actions={more}
              button={
                <button type="button" className={classes.link}>
                  <IconDots size={22} stroke={1.7} aria-hidden />
                  <NotificationCount />
                  <span className={classes.text}>{t('shell.more')}</span>
                </button>
              }
            />
          )}
        </nav>
        {!phone && (
          <>
            <button
              type="button"
              className={classes.link}
              aria-label={t('shell.search')}
              title={`${t('shell.search')} (Ctrl+K)`}
              onClick={() => setPalette(true)}
            >
              <IconSearch size={21} stroke={1.7} aria-hidden />
            </button>
            <Notifications
              opened={notifications}
              onOpen={() => setNotifications(true)}
              onClose={() => setNotifications(false)}
            />
            <ActionMenu
              position="right-end"
              title={who}
              actions={account}
              button={
                <button
                  type="button"
                  className={classes.account}
                  data-presence={presence}
                  aria-label={t('shell.account', { name: me.user.name })}
                  title={me.user.name}
                >
                  <Avatar id={me.user.id} name={me.user.name} size={32} />
                </button>
              }
            />
          </>
        )}
      </header>
      <Notifier />
      <div className={classes.page}>
        <Banners />
        <main id="content" tabIndex={-1} className={classes.content}>
          <Outlet />
          <div id="layer" />
        </main>
      </div>
      <Suspense fallback={null}>
        <Saving />
      </Suspense>
      <Suspense fallback={null}>
        {palette && (
          <Palette
            onClose={() => setPalette(false)}
            onHelp={() => setHelp(true)}
            onSignOut={signOut}
          />
        )}
        {phone && notifications && (
          <NotificationDialog onClose={() => setNotifications(false)} />
        )}
        {leaving && (
          <Confirm
            title={t('shell.signOut')}
            text={t('shell.unsent', { count: unsent })}
            action={t('shell.discard')}
            onClose={() => setLeaving(false)}
            task={leave}
          />
        )}
        {help && <Shortcuts onClose={() => setHelp(false)} />}
      </Suspense>
    </div>
  )
}
