import { Popover } from '@mantine/core'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'
import { NotificationList } from './NotificationList'
import classes from './Notifications.module.css'

type Props = { target: ReactElement; opened: boolean; onClose: () => void }

/** NotificationPopover shows the notifications next to their button. */
export function NotificationPopover({ target, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Popover
      opened={opened}
      onDismiss={onClose}
      position="right-end"
      trapFocus
      withinPortal
      shadow="md"
      width={380}
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown
        className={classes.box}
        aria-labelledby="notifications-title"
      >
        <h2 id="notifications-title" className={classes.title}>
          {t('shell.notifications')}
        </h2>
        <NotificationList onOpened={onClose} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** NotificationDialog shows the notifications full-screen on a phone. */
export function NotificationDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog title={t('shell.notifications')} fullScreen onClose={onClose}>
      <NotificationList onOpened={onClose} />
    </Dialog>
  )
}
