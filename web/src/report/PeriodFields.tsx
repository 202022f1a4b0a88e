import { Button, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { dayKey } from '../ui/format'
import { presets, type Period } from './period'
import classes from './Report.module.css'

/** PeriodFields selects the period of a report. */
export function PeriodFields({
  period,
  problem,
  onChange,
}: {
  period: Period
  problem: 'order' | 'long' | null
  onChange: (period: Partial<Period>) => void
}) {
  const { t } = useTranslation()
  return (
    <>
      <div
        role="group"
        aria-label={t('report.period')}
        className={classes.presets}
      >
        {presets(dayKey(new Date())).map(({ name, period: preset }) => {
          const chosen = preset.from === period.from && preset.to === period.to
          return (
            <Button
              key={name}
              size="xs"
              variant={chosen ? 'light' : 'default'}
              aria-pressed={chosen}
              onClick={() => onChange(preset)}
            >
              {t(`report.preset.${name}`)}
            </Button>
          )
        })}
      </div>
      <TextInput
        type="date"
        size="xs"
        label={t('report.from')}
        required
        withAsterisk={false}
        value={period.from}
        error={problem && t(`report.problem.${problem}`)}
        onChange={(event) =>
          event.currentTarget.value &&
          onChange({ from: event.currentTarget.value })
        }
      />
      <TextInput
        type="date"
        size="xs"
        label={t('report.to')}
        required
        withAsterisk={false}
        value={period.to}
        onChange={(event) =>
          event.currentTarget.value &&
          onChange({ to: event.currentTarget.value })
        }
      />
    </>
  )
}
