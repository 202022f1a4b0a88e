import { Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SignInForm } from './SignInForm'

/** SignInAgain lies over the page when the session ended; what was typed stays. */
export function SignInAgain({ email, onDone }: { email: string; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false} title={t('signIn.again')} centered>
      <Text size="sm" c="dimmed" mb="md">
        {t('signIn.againText')}
      </Text>
      <SignInForm email={email} fixedEmail onDone={onDone} />
    </Modal>
  )
}
