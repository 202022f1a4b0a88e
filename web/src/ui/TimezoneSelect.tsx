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

/** folded is a text without accents and case, with spaces where names of time zones have other signs. */
const folded = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9+-]+/g, ' ')
    .trim()

const isItem = (option: ComboboxParsedItem): option is ComboboxItem =>
  'value' in option

/** findZones returns the filter of a list of time zones: "são paulo" finds America/Sao_Paulo, and the current one is first while nothing is searched. */
export function findZones(current: string): OptionsFilter {
  return ({ options, search, limit }) => {
    const wanted = folded(search)
    const zones = options.filter(isItem)
    const found = wanted
      ? zones.filter((zone) => folded(zone.label).includes(wanted))
      : zones.toSorted(
          (a, b) => Number(b.value === current) - Number(a.value === current),
        )
    return found.slice(0, limit)
  }
}

/** TimezoneSelect chooses a time zone by its name. */
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
