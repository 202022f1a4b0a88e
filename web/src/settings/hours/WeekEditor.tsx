import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/Layout'
import { DayRow } from './DayRow'
import { days, type Day, type Week } from './week'
import classes from './Hours.module.css'

/** Refused is a server error about a period. */
export type Refused = { day: Day; index: number; text: string }

type Props = {
  week: Week
  checked: boolean
  refused: Refused[]
  problem?: string
  onChange: (week: Week) => void
}

/** WeekEditor edits the open periods of a week. checked shows the errors of all days, not only of those that lost the focus. */
export function WeekEditor({
  week,
  checked,
  refused,
  problem,
  onChange,
}: Props) {
  const { t } = useTranslation()
  const [left, setLeft] = useState<ReadonlySet<Day>>(new Set())
  return (
    <Section title={t('hours.week')} text={t('hours.weekText')}>
      <div className={classes.week}>
        <div className={classes.scale} aria-hidden>
          {[0, 6, 12, 18, 24].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
        {days.map((day) => (
          <DayRow
            key={day}
            day={day}
            week={week}
            checked={checked || left.has(day)}
            onChange={onChange}
            refused={
              new Map(
                refused
                  .filter((one) => one.day === day)
                  .map(({ index, text }) => [index, text]),
              )
            }
            onLeave={() =>
              setLeft((known) =>
                known.has(day) ? known : new Set(known).add(day),
              )
            }
          />
        ))}
      </div>
      {problem && <p className={classes.wrong}>{problem}</p>}
    </Section>
  )
}
