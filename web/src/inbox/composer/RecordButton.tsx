import { ActionIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

type Props = { size: number; onRecord: () => void; children: ReactNode }

/** RecordButton starts a voice message. It says why if the browser cannot record. */
export function RecordButton({ size, onRecord, children }: Props) {
  const { t } = useTranslation()
  const secure = window.isSecureContext && typeof MediaRecorder !== 'undefined'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={size}
      aria-label={t('composer.record')}
      title={secure ? t('composer.record') : t('composer.recordInsecure')}
      disabled={!secure}
      onClick={onRecord}
    >
      {children}
    </ActionIcon>
  )
}
