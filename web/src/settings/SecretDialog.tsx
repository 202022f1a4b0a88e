import { Alert, Button, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'

type Props = {
  title: string
  text: string
  secret: string
  onClose: () => void
}

/** SecretDialog shows a secret that is only shown once. Clicking outside or pressing Escape does not close it. */
export function SecretDialog({ title, text, secret, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert variant="light" color="yellow" role="note">
          {text}
        </Alert>
        <CopyField value={secret} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('secret.done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
