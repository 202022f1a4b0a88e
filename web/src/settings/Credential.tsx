import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export const credentialFields = ['phone_number_id', 'waba_id', 'app_secret', 'token'] as const
export const emptyCredentials: Record<(typeof credentialFields)[number], string> = { phone_number_id: '', waba_id: '', app_secret: '', token: '' }

type Props = { name: (typeof credentialFields)[number]; value: string; onChange: (value: string) => void; error?: string; optional?: boolean; placeholder?: string }

/** Credential is one of the values that Meta shows about a number; the two secret ones are hidden while they are typed. */
export function Credential({ name, value, onChange, error, optional = false, placeholder }: Props) {
  const { t } = useTranslation()
  const secret = name === 'app_secret' || name === 'token'
  return (
    <TextInput
      label={t(`connect.field.${name}`)} description={t(`connect.where.${name}`)} required={!optional} withAsterisk={false} value={value} error={error} placeholder={placeholder} maxLength={2048}
      autoComplete="off" spellCheck={false} type={secret ? 'password' : 'text'} inputMode={secret ? undefined : 'numeric'} onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  )
}
