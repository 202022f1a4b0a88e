import '@mantine/notifications/styles.layer.css'
import { Button, Group } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { takeToasts } from './toast'

/** Toasts renders the toasts in the corner of the page. */
export default function Toasts() {
  const { t } = useTranslation()
  useEffect(() => {
    takeToasts(({ message, tone, action }) => {
      const id = notifications.show({
        message: action ? (
          <Group justify="space-between" wrap="nowrap">
            {message}
            <Button
              size="compact-sm"
              variant="light"
              onClick={() => {
                notifications.hide(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          </Group>
        ) : (
          message
        ),
        autoClose: action ? 10_000 : undefined,
        color: tone === 'red' ? 'red' : undefined,
        role: tone === 'red' ? 'alert' : 'status',
        closeButtonProps: { 'aria-label': t('common.dismiss') },
      })
    })
  }, [t])
  return <Notifications position="bottom-right" limit={3} autoClose={6000} />
}
