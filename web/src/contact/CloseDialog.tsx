import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'

type Props = {
  text?: string
  onClose: () => void
  onSubmit: (reason: string) => Promise<boolean>
  onNext?: () => void
}

/** CloseDialog closes a case with an optional reason. Enter submits; Shift+Enter starts a new line. */
export function CloseDialog({ text, onClose, onSubmit, onNext }: Props) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const go = async (next: boolean) => {
    if (busy) return
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
          {text && <Text size="sm">{text}</Text>}
          <Textarea
            label={t('common.reason')}
            data-autofocus
            maxLength={500}
            autosize
            minRows={2}
            maxRows={5}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (
                event.key !== 'Enter' ||
                event.shiftKey ||
                event.nativeEvent.isComposing
              )
                return
              event.preventDefault()
              void go(false)
            }}
          />
          <Group justify="flex-end">
            <Button variant="default" disabled={busy} onClick={onClose}>
              {t('common.cancel')}
            </Button>
            {onNext && (
              <Button
                variant="default"
                disabled={busy}
                onClick={() => void go(true)}
              >
                {t('close.next')}
              </Button>
            )}
            <Button type="submit" loading={busy}>
              {t('conversation.close')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
