import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SessionEnd } from '../api/client'
import { Dialog } from '../ui/Dialog'
import { SignInForm } from './SignInForm'

/** SignInAgain covers the page when the session has ended or belongs to someone else. Nothing typed is lost. */
export function SignInAgain({
  email,
  why,
  onDone,
}: {
  email: string
  why: SessionEnd
  onDone: () => void
}) {
  const { t } = useTranslation()
  const changed = why === 'changed'
  return (
    <Dialog
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={changed ? t('signIn.changed') : t('signIn.again')}
    >
      <Text size="sm" c="dimmed" mb="md">
        {changed ? t('signIn.changedText') : t('signIn.againText')}
      </Text>
      <SignInForm email={email} fixedEmail onDone={onDone} />
      {changed && (
        <Button
          variant="subtle"
          color="gray"
          fullWidth
          mt="xs"
          onClick={() => location.reload()}
        >
          {t('signIn.other')}
        </Button>
      )}
    </Dialog>
  )
}
