import { ActionIcon, Button, Group } from '@mantine/core'
import {
  IconCalendarPlus,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { HoursException } from '../../api/types'
import { Section } from '../../ui/Layout'
import { ExceptionDialog } from './ExceptionDialog'
import { HolidayDialog } from './HolidayDialog'
import {
  addHolidays,
  holidayOf,
  isPast,
  sortExceptions,
  todayIn,
  yearly,
  yearsOf,
} from './exceptions'
import { dateText } from './texts'
import { useHolidaysOf } from './useHours'
import { textOf } from './week'
import rows from '../../ui/rows.module.css'
import classes from './Hours.module.css'

type Props = {
  exceptions: HoursException[]
  timezone: string
  problem?: string
  onChange: (exceptions: HoursException[]) => void
}

/** ExceptionList lists the exceptions in chronological order. */
export function ExceptionList({
  exceptions,
  timezone,
  problem,
  onChange,
}: Props) {
  const { t } = useTranslation()
  const today = todayIn(timezone)
  const holidays = useHolidaysOf(yearsOf(exceptions, today))
  const [editing, setEditing] = useState<HoursException | 'new' | null>(null)
  const [choosing, setChoosing] = useState(false)
  const past = exceptions.filter((one) => isPast(one.date, today))
  const nameOf = (date: string) => {
    const holiday = holidayOf(date, holidays)
    return (
      holiday &&
      t(`hours.holiday.${holiday.key}`, { defaultValue: holiday.name })
    )
  }
  return (
    <Section title={t('hours.exceptions')} text={t('hours.exceptionsText')}>
      <Group gap="xs" mb="md">
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setEditing('new')}
        >
          {t('hours.addException')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconCalendarPlus size={16} />}
          onClick={() => setChoosing(true)}
        >
          {t('hours.addHolidays')}
        </Button>
        {past.length > 0 && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() =>
              onChange(exceptions.filter((one) => !past.includes(one)))
            }
          >
            {t('hours.removePast', { count: past.length })}
          </Button>
        )}
      </Group>
      {problem && <p className={classes.wrong}>{problem}</p>}
      {exceptions.length === 0 ? (
        <p className={rows.none}>{t('hours.noException')}</p>
      ) : (
        <ul className={rows.rows} aria-label={t('hours.exceptions')}>
          {sortExceptions(exceptions, today).map((one) => {
            const name = nameOf(one.date)
            const when = dateText(one.date)
            return (
              <li
                key={one.date}
                className={rows.row}
                data-past={past.includes(one) || undefined}
              >
                <div className={rows.main}>
                  <strong>
                    {when}
                    {name && <em> {name}</em>}
                  </strong>
                  <span>
                    {[
                      one.closed
                        ? t('hours.closed')
                        : textOf(one.periods ?? []),
                      yearly(one.date) && t('hours.everyYear'),
                      past.includes(one) && t('hours.past'),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </div>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t('settings.edit', { name: when })}
                  title={t('settings.edit', { name: when })}
                  onClick={() => setEditing(one)}
                >
                  <IconPencil size={18} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t('hours.remove', { name: when })}
                  title={t('hours.remove', { name: when })}
                  onClick={() =>
                    onChange(exceptions.filter((other) => other !== one))
                  }
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </li>
            )
          })}
        </ul>
      )}
      {editing && (
        <ExceptionDialog
          exception={editing === 'new' ? null : editing}
          others={exceptions.filter((one) => one !== editing)}
          today={today}
          onClose={() => setEditing(null)}
          onDone={(made) =>
            onChange([...exceptions.filter((one) => one !== editing), made])
          }
        />
      )}
      {choosing && (
        <HolidayDialog
          exceptions={exceptions}
          today={today}
          onClose={() => setChoosing(false)}
          onDone={(chosen) => onChange(addHolidays(exceptions, chosen))}
        />
      )}
    </Section>
  )
}
