import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSectors, useTeam } from '../api/queries'
import type { Period, ReportSearch } from './period'
import { PeriodFields } from './PeriodFields'
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
      <PeriodFields period={period} problem={problem} onChange={onChange} />
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
