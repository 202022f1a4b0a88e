import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useHours } from './hours/useHours'

type Props = {
  value: string | null
  none: string
  titled?: boolean
  description?: string
  error?: string
  disabled?: boolean
  onChange: (hours: string | null) => void
}

/** HoursSelect selects opening hours. none is the label of the empty choice; titled means that the section already has a title. */
export function HoursSelect({
  value,
  none,
  titled = false,
  onChange,
  ...more
}: Props) {
  const { t } = useTranslation()
  const hours = useHours().data ?? []
  return (
    <NativeSelect
      {...(titled
        ? { 'aria-label': t('hours.select') }
        : { label: t('hours.select') })}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      {...more}
      data={[
        { value: '', label: none },
        ...hours.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
}
