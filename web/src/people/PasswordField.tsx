import { ActionIcon, TextInput } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  label?: string
  value: string
  onChange: (value: string) => void
  isNew?: boolean
  autoFocus?: boolean
}

/** PasswordField is a password input with a button that shows the password. */
export function PasswordField({
  label: name,
  value,
  onChange,
  isNew = false,
  autoFocus = false,
}: Props) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  const label = shown ? t('signIn.hidePassword') : t('signIn.showPassword')
  return (
    <TextInput
      label={name ?? t('signIn.password')}
      description={isNew ? t('signIn.passwordRule') : undefined}
      type={shown ? 'text' : 'password'}
      role="textbox"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      data-autofocus={autoFocus || undefined}
      autoFocus={autoFocus}
      required
      withAsterisk={false}
      minLength={isNew ? 10 : undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSection={
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          title={label}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <IconEyeOff size={18} /> : <IconEye size={18} />}
        </ActionIcon>
      }
    />
  )
}
