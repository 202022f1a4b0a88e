import {
  Select,
  type ComboboxItem,
  type ComboboxParsedItem,
  type OptionsFilter,
} from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = {
  value: string
  description?: string
  error?: string
  onChange: (timezone: string) => void
}

/** normalize returns the text in lower case, without accents, and with spaces instead of the separators in time zone names. */
const normalize = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9+-]+/g, ' ')
    .trim()

const isItem = (option: ComboboxParsedItem): option is ComboboxItem =>
  'value' in option

/** findZones returns a filter for the time zone list: "são paulo" matches America/Sao_Paulo, and the current zone comes first while the search is empty. */
export function findZones(current: string): OptionsFilter {
  return ({ options, search, limit }) => {
    const wanted = normalize(search)
    const zones = options.filter(isItem)
    const found = wanted
      ? zones.filter((zone) => normalize(zone.label).includes(wanted))
      : zones.toSorted(
          (a, b) => Number(b.value === current) - Number(a.value === current),
        )
    return found.slice(0, limit)
  }
}

/** TimezoneSelect is a searchable select of time zones. */
export function TimezoneSelect({ value, onChange, ...more }: Props) {
  const { t } = useTranslation()
  const zones = Intl.supportedValuesOf('timeZone') // without UTC
  const all = zones.includes(value) ? zones : [value, ...zones]
  return (
    <Select
      label={t('setup.timezone')}
      searchable
      allowDeselect={false}
      limit={60}
      data={all}
      filter={findZones(value)}
      value={value}
      onChange={(zone) => zone && onChange(zone)}
      {...more}
    />
  )
}
