import '@mantine/core/styles/NumberInput.layer.css'
import { Input, NativeSelect, NumberInput } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { longest, unitNames, unitOf, units, type Unit } from '../units'
import classes from './Levels.module.css'

/** DurationField edits a duration in minutes, hours or days. An empty field is none. */
export function DurationField({
  label,
  description,
  value,
  error,
  onChange,
}: {
  label: string
  description: string
  value: number | null
  error?: string
  onChange: (minutes: number | null) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [unit, setUnit] = useState<Unit>(() => unitOf(value ?? units.hours))
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
    >
      <div className={classes.duration}>
        <NumberInput
          id={id}
          placeholder={t('levels.none')}
          min={1}
          max={Math.floor(longest / units[unit])}
          allowDecimal={false}
          allowNegative={false}
          value={value === null ? '' : value / units[unit]}
          error={error !== undefined}
          onChange={(number) =>
            onChange(
              number === '' || Number(number) < 1
                ? null
                : Math.min(longest, Number(number) * units[unit]),
            )
          }
        />
        <NativeSelect
          aria-label={t('levels.unit', { name: label })}
          value={unit}
          data={unitNames.map((one) => ({
            value: one,
            label: t(`rules.units.${one}`),
          }))}
          onChange={(event) => {
            const next = event.currentTarget.value as Unit
            if (value !== null)
              onChange(Math.min(longest, (value / units[unit]) * units[next]))
            setUnit(next)
          }}
        />
      </div>
    </Input.Wrapper>
  )
}
