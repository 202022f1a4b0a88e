import { Alert, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Viewer } from '../api/types'

type Props = { viewers: Viewer[]; busy: boolean; onConfirm: () => void }

/** PendingViewers asks to confirm viewers who lost access because someone else reset their password. */
export function PendingViewers({ viewers, busy, onConfirm }: Props) {
  const { t } = useTranslation()
  const pending = viewers.filter((viewer) => viewer.pending)
  if (pending.length === 0) return null
  return (
    <Alert color="yellow" variant="light" title={t('channels.pending')}>
      <Text size="sm">
        {t('channels.pendingText', {
          names: pending.map((viewer) => viewer.name).join(', '),
        })}
      </Text>
      <Group justify="flex-end" mt="sm">
        <Button variant="default" size="xs" loading={busy} onClick={onConfirm}>
          {t('channels.confirmViewers')}
        </Button>
      </Group>
    </Alert>
  )
}
