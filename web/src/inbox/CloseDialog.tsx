import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'

type Props = { onClose: () => void; onSubmit: (reason: string) => Promise<boolean>; onNext?: () => void }

/** CloseDialog ends an attendance, with a reason if there is one. */
export function CloseDialog({ onClose, onSubmit, onNext }: Props) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const go = async (next: boolean) => {
    setBusy(true)
    if (!(await onSubmit(reason.trim()))) return setBusy(false)
    onClose()
    if (next) onNext?.()
  }
  return (
    <Dialog title={t('conversation.close')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go(false)
        }}
      >
        <Stack gap="md">
          <Textarea label={t('common.reason')} data-autofocus maxLength={500} autosize minRows={2} maxRows={5} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
          <Group justify="flex-end">
            {onNext && <Button variant="default" disabled={busy} onClick={() => void go(true)}>{t('close.next')}</Button>}
            <Button type="submit" loading={busy}>{t('common.close')}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
