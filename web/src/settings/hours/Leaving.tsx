import { Button, Group, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/Dialog'

/** Leaving asks for confirmation before leaving a page with unsaved changes. */
export function Leaving({ dirty }: { dirty: () => boolean }) {
  const { t } = useTranslation()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: dirty,
    enableBeforeUnload: dirty,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog role="alertdialog" title={t('hours.leaveTitle')} onClose={reset}>
      <Text size="sm" mb="md">
        {t('hours.leaveText')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={reset}>
          {t('hours.stay')}
        </Button>
        <Button color="red" onClick={proceed}>
          {t('hours.leave')}
        </Button>
      </Group>
    </Dialog>
  )
}
