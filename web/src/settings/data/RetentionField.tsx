import { NativeSelect, NumberInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { choicesOf, isValid, limits, timeText, type Part } from './retention'
import classes from './Data.module.css'

type Props = {
  part: Part
  value: number | null
  error: string | undefined
  onChange: (days: number | null) => void
}

/** RetentionField selects how long one kind of data is kept: forever, one of the usual times, or a number of days. */
export function RetentionField({ part, value, error, onChange }: Props) {
  const { t } = useTranslation()
  const usual = choicesOf(part)
  const [typed, setTyped] = useState(value !== null && !usual.includes(value))
  const { least, most } = limits[part]
  const wrong = isValid(part, value)
    ? error
    : t('data.between', { least, most })
  return (
    <div className={classes.field}>
      <NativeSelect
        label={t(`data.part.${part}`)}
        description={t(`data.partText.${part}`)}
        value={typed ? 'other' : String(value)}
        error={!typed && wrong}
        data={[
          { value: 'null', label: t('data.forever') },
          ...usual.map((days) => ({
            value: String(days),
            label: timeText(days, t),
          })),
          { value: 'other', label: t('data.other') },
        ]}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          setTyped(chosen === 'other')
          if (chosen === 'other') onChange(value ?? 365)
          else onChange(chosen === 'null' ? null : Number(chosen))
        }}
      />
      {typed && (
        <NumberInput
          label={t('data.daysOf', { what: t(`data.part.${part}`) })}
          allowDecimal={false}
          allowNegative={false}
          value={value ?? ''}
          error={wrong}
          onChange={(days) => onChange(days === '' ? 0 : Number(days))}
        />
      )}
    </div>
  )
}
