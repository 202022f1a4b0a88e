import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSectors, useTeam } from '../api/queries'
import { dayKey } from '../ui/format'
import { presets, type Period, type ReportSearch } from './period'
import classes from './Report.module.css'

type Props = {
  period: Period
  search: ReportSearch
  problem: 'order' | 'long' | null
  onChange: (search: ReportSearch) => void
}

/** Filters selects the period, the department and the person. */
export function Filters({ period, search, problem, onChange }: Props) {
  const { t } = useTranslation()
  const sectors = useSectors().data ?? []
  const team = useTeam().data ?? []
  const options = (all: { id: string; name: string }[]) => [
    { value: '', label: t('filters.all') },
    ...all.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <div className={`${classes.filters} ${classes.control}`}>
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
      <NativeSelect
        size="xs"
        label={t('report.sector')}
        value={search.sector ?? ''}
        data={options(sectors)}
        onChange={(event) =>
          onChange({ sector: event.currentTarget.value || undefined })
        }
      />
      <NativeSelect
        size="xs"
        label={t('report.person')}
        value={search.user ?? ''}
        data={options(team)}
        onChange={(event) =>
          onChange({ user: event.currentTarget.value || undefined })
        }
      />
    </div>
  )
}
