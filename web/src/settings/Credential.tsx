import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export const credentialFields = [
  'phone_number_id',
  'waba_id',
  'app_secret',
  'token',
] as const
export const emptyCredentials: Record<
  (typeof credentialFields)[number],
  string
> = { phone_number_id: '', waba_id: '', app_secret: '', token: '' }

/** CredentialName is one of the values that connect a number with Meta; two of them have a default. */
export type CredentialName =
  (typeof credentialFields)[number] | 'verify_token' | 'api_version'

const secrets: CredentialName[] = ['app_secret', 'token']
const ids: CredentialName[] = ['phone_number_id', 'waba_id']

type Props = {
  name: CredentialName
  value: string
  onChange: (value: string) => void
  error?: string
  optional?: boolean
  placeholder?: string
}

/** Credential is the input for one of these values; the two secrets are masked. */
export function Credential({
  name,
  value,
  onChange,
  error,
  optional = false,
  placeholder,
}: Props) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t(`connect.field.${name}`)}
      description={t(`connect.where.${name}`)}
      required={!optional}
      withAsterisk={false}
      value={value}
      error={error}
      placeholder={placeholder}
      maxLength={2048}
      autoComplete="off"
      spellCheck={false}
      type={secrets.includes(name) ? 'password' : 'text'}
      inputMode={ids.includes(name) ? 'numeric' : undefined}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  )
}
