import {
  IconAlertCircle,
  IconCheck,
  IconChecks,
  IconClock,
  IconHourglass,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

export type Status =
  'held' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed'

/** Tick shows the status of an outbound message. */
export function Tick({ status, size = 15 }: { status: Status; size?: number }) {
  const { t } = useTranslation()
  const Icon = {
    held: IconHourglass,
    queued: IconClock,
    sent: IconCheck,
    delivered: IconChecks,
    read: IconChecks,
    failed: IconAlertCircle,
  }[status]
  const colour =
    status === 'read'
      ? 'var(--tick)'
      : status === 'failed'
        ? 'var(--red)'
        : 'var(--soft)'
  return (
    <span
      role="img"
      aria-label={t(`status.${status}`)}
      style={{ display: 'inline-flex', color: colour, verticalAlign: '-3px' }}
    >
      <Icon size={size} stroke={2} aria-hidden />
    </span>
  )
}
