import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'
import { SignInForm } from './SignInForm'

/** SignInAgain lies over the page when the session ended; what was typed stays. */
export function SignInAgain({ email, onDone }: { email: string; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog onClose={() => undefined} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false} title={t('signIn.again')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('signIn.againText')}
      </Text>
      <SignInForm email={email} fixedEmail onDone={onDone} />
    </Dialog>
  )
}
