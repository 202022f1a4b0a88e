import { Alert, Button, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../ui/CopyText'
import { Dialog } from '../ui/Dialog'

type Props = { title: string; text: string; secret: string; onClose: () => void }

/** SecretDialog shows a secret that the server shows once. A click beside it or Escape does not close it. */
export function SecretDialog({ title, text, secret, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog title={title} size="lg" onClose={onClose} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="md">
        <Alert variant="light" color="yellow" role="note">{text}</Alert>
        <CopyText text={secret} label={t('secret.copy')} />
        <Group justify="flex-end"><Button onClick={onClose}>{t('secret.done')}</Button></Group>
      </Stack>
    </Dialog>
  )
}
