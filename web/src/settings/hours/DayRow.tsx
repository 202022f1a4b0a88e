import { ActionIcon, UnstyledButton } from '@mantine/core'
import { IconCoffee, IconCopy, IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionMenu } from '../../ui/ActionMenu'
import { announce } from '../../ui/announce'
import { fieldId, focusField, PeriodFields, type Problem } from './PeriodFields'
import { dayName } from './texts'
import {
  addBreak,
  addPeriod,
  barsOf,
  copyDay,
  days,
  splitAtMidnight,
  weekdays,
  wrongOf,
  type Day,
  type Week,
} from './week'
import classes from './Hours.module.css'

type Props = {
  day: Day
  week: Week
  checked: boolean
  refused: Map<number, string>
  onChange: (week: Week) => void
  onLeave: () => void
}

/** DayRow is one day of the week: its bar, its periods and their actions. Times are validated when the focus leaves the row. */
export function DayRow({
  day,
  week,
  checked,
  refused,
  onChange,
  onLeave,
}: Props) {
  const { t } = useTranslation()
  const periods = week[day]
  const name = dayName(day)
  const id = `day-${day}`
  const set = (next: Week[Day]) => onChange({ ...week, [day]: next })
  const wrong = wrongOf(periods)
  const problemOf = (index: number): Problem | null => {
    const found = checked ? wrong[index] : null
    if (!found)
      return refused.has(index) ? { text: refused.get(index) ?? '' } : null
    const over =
      found === 'order' &&
      (periods[index]?.to ?? '') < (periods[index]?.from ?? '')
    return {
      text: t(`hours.wrong.${found}`),
      help: over && (
        <UnstyledButton
          className={classes.help}
          onClick={() => onChange(splitAtMidnight(week, day, index))}
        >
          {t('hours.split')}
        </UnstyledButton>
      ),
    }
  }
  const add = (next: Week[Day] | null) => {
    if (!next) return announce(t('hours.noRoom', { day: name }))
    set(next)
    focusField(fieldId(id, next.length - 1))
  }
  const remove = (index: number) => {
    set(periods.filter((_, at) => at !== index))
    focusField(`${id}-add`)
  }
  const copy = (to: readonly Day[], done: string) => {
    onChange(copyDay(week, day, to))
    announce(done)
  }
  const action = (
    label: string,
    icon: ReactNode,
    more: {
      'data-field'?: string
      disabled?: boolean
      onClick?: () => void
    } = {},
  ) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      title={label}
      {...more}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <div
      role="group"
      aria-label={name}
      className={classes.day}
      data-closed={periods.length === 0}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onLeave()
      }}
    >
      <span className={classes.dayName} aria-hidden>
        {name}
      </span>
      <div className={classes.bar} aria-hidden>
        {barsOf(periods).map(({ left, width }, index) => (
          <span key={index} style={{ left: `${left}%`, width: `${width}%` }} />
        ))}
      </div>
      {periods.length === 0 ? (
        <span className={classes.closed}>{t('hours.closed')}</span>
      ) : (
        <PeriodFields
          id={id}
          name={name}
          periods={periods}
          problems={periods.map((_, index) => problemOf(index))}
          onChange={set}
          onRemove={remove}
        />
      )}
      <div className={classes.dayActions}>
        {action(t('hours.addPeriod', { day: name }), <IconPlus size={18} />, {
          'data-field': `${id}-add`,
          onClick: () => add(addPeriod(periods)),
        })}
        {action(t('hours.addBreak', { day: name }), <IconCoffee size={18} />, {
          disabled: addBreak(periods) === null,
          onClick: () => add(addBreak(periods)),
        })}
        <ActionMenu
          button={action(
            t('hours.copy', { day: name }),
            <IconCopy size={17} />,
          )}
          actions={[
            {
              key: 'weekdays',
              label: t('hours.copyWeekdays'),
              onClick: () =>
                copy(weekdays, t('hours.copiedWeekdays', { day: name })),
            },
            {
              key: 'all',
              label: t('hours.copyAll'),
              onClick: () => copy(days, t('hours.copiedAll', { day: name })),
            },
          ]}
        />
      </div>
    </div>
  )
}
