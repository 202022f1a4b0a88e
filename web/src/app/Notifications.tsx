import { IconBell } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnreadNotifications } from '../api/queries'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import classes from './Shell.module.css'

const NotificationPopover = part(() =>
  withTexts('talk', import('./NotificationBox')).then(
    (loaded) => loaded.NotificationPopover,
  ),
)

/** useNotificationName returns the label of the notifications button, with the number of unread ones. */
function useNotificationName(): string {
  const { t } = useTranslation()
  const count = useUnreadNotifications()
  return count > 0
    ? t('shell.notificationsUnread', { count })
    : t('shell.notifications')
}

/** NotificationName is a component of its own, so that a new notification re-renders nothing else. */
export function NotificationName() {
  return <>{useNotificationName()}</>
}

/** NotificationCount shows the number of unread notifications on an icon. */
export function NotificationCount() {
  const n = useUnreadNotifications()
  return (
    n > 0 && (
      <span className={classes.count} aria-hidden>
        {n > 99 ? '99+' : n}
      </span>
    )
  )
}

type Props = { opened: boolean; onOpen: () => void; onClose: () => void }

/** Notifications is the button that opens the list of notifications. */
export function Notifications({ opened, onOpen, onClose }: Props) {
  const name = useNotificationName()
  const button = useRef<HTMLButtonElement>(null)
  const [used, setUsed] = useState(false)
  if (opened && !used) setUsed(true)
  const target = (
    <button
      ref={button}
      type="button"
      className={classes.link}
      aria-label={name}
      title={name}
      aria-haspopup="dialog"
      aria-expanded={opened}
      onClick={opened ? onClose : onOpen}
    >
      <IconBell size={21} stroke={1.7} aria-hidden />
      <NotificationCount />
    </button>
  )
  if (!used) return target
  const close = () => {
    if (document.activeElement?.closest('[role="dialog"]'))
      button.current?.focus()
    onClose()
  }
  return (
    <Suspense fallback={target}>
      <NotificationPopover target={target} opened={opened} onClose={close} />
    </Suspense>
  )
}
