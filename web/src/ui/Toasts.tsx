import '@mantine/notifications/styles.layer.css'
import { Notifications, notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { takeToasts } from './toast'

/** Toasts renders the toasts in the corner of the page. */
export default function Toasts() {
  const { t } = useTranslation()
  useEffect(() => {
    takeToasts(({ message, tone }) =>
      notifications.show({
        message,
        color: tone === 'red' ? 'red' : undefined,
        role: tone === 'red' ? 'alert' : 'status',
        closeButtonProps: { 'aria-label': t('common.dismiss') },
      }),
    )
  }, [t])
  return <Notifications position="bottom-right" limit={3} autoClose={6000} />
}
