import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = { value: string; description: string; error?: string; onChange: (timezone: string) => void }

/** TimezoneSelect chooses a time zone by its name. */
export function TimezoneSelect({ value, onChange, ...more }: Props) {
  const { t } = useTranslation()
  const zones = Intl.supportedValuesOf('timeZone')
  return <Select label={t('setup.timezone')} searchable allowDeselect={false} limit={60} data={zones.includes(value) ? zones : [value, ...zones]} value={value} onChange={(zone) => zone && onChange(zone)} {...more} />
}
