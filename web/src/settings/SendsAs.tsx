import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Key } from '../api/types'

type ActsAs = Key['acts_as']
const choices: ActsAs[] = ['person', 'integration']

/** SendsAs selects whether a key's messages are sent as its person or as the integration. */
export function SendsAs({
  value,
  onChange,
}: {
  value: ActsAs
  onChange: (value: ActsAs) => void
}) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('apiKeys.sends')}
      description={t('apiKeys.sendsText')}
      value={value}
      data={choices.map((choice) => ({
        value: choice,
        label: t(`apiKeys.sendsAs.${choice}`),
      }))}
      onChange={(event) => onChange(event.currentTarget.value as ActsAs)}
    />
  )
}
