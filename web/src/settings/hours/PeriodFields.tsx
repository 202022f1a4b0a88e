import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { HoursPeriod } from '../../api/types'
import { TimeField } from './TimeField'
import classes from './Hours.module.css'

/** Problem is an error of a period, with an optional button that fixes it. */
export type Problem = { text: string; help?: ReactNode }

type Props = {
  id: string
  name: string
  periods: HoursPeriod[]
  problems: (Problem | null)[]
  onChange: (periods: HoursPeriod[]) => void
  onRemove: (index: number) => void
}

/** fieldId returns the id of a time field. */
export const fieldId = (
  id: string,
  index: number,
  end: 'from' | 'to' = 'from',
) => `${id}-${index}-${end}`

/** focusField focuses a field or button that is about to be rendered. */
export const focusField = (id: string) =>
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-field="${id}"]`)?.focus(),
  )

/** PeriodFields edits the periods of one day. name is the day's name. */
export function PeriodFields({
  id,
  name,
  periods,
  problems,
  onChange,
  onRemove,
}: Props) {
  const { t } = useTranslation()
  const time = (
    index: number,
    end: 'from' | 'to',
    value: string,
    wrong: boolean,
  ) => (
    <TimeField
      name={fieldId(id, index, end)}
      label={t(end === 'from' ? 'hours.from' : 'hours.to', {
        day: name,
        n: index + 1,
      })}
      value={value}
      end={end === 'to'}
      wrong={wrong}
      describedBy={`${id}-${index}-wrong`}
      onChange={(next) =>
        onChange(
          periods.map((one, at) =>
            at === index ? { ...one, [end]: next } : one,
          ),
        )
      }
    />
  )
  return (
    <div className={classes.periods}>
      {periods.map((period, index) => {
        const problem = problems[index] ?? null
        return (
          <div key={index} className={classes.periodBox}>
            <div className={classes.period}>
              {time(index, 'from', period.from, problem !== null)}
              <span aria-hidden>–</span>
              {time(index, 'to', period.to, problem !== null)}
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label={t('hours.removePeriod', {
                  day: name,
                  n: index + 1,
                })}
                title={t('hours.removePeriod', { day: name, n: index + 1 })}
                onClick={() => onRemove(index)}
              >
                <IconX size={16} />
              </ActionIcon>
            </div>
            {problem && (
              <p id={`${id}-${index}-wrong`} className={classes.wrong}>
                {problem.text} {problem.help}
              </p>
            )}
          </div>
        )
      })}
    </div>
  )
}
