import { Button, Checkbox, Group, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../api/Loaded'
import type { Holiday, HoursException } from '../../api/types'
import { announce } from '../../ui/announce'
import { Dialog } from '../../ui/Dialog'
import { isThere, toAdd } from './exceptions'
import { dateText } from './texts'
import { useHolidays } from './useHours'
import classes from './Hours.module.css'

type Props = {
  exceptions: HoursException[]
  today: string
  onDone: (holidays: Holiday[]) => void
  onClose: () => void
}

/** HolidayDialog offers the Brazilian holidays of a year. Optional and past ones are not preselected. */
export function HolidayDialog({ exceptions, today, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const first = Number(today.slice(0, 4))
  const [year, setYear] = useState(first)
  const holidays = useHolidays(year)
  return (
    <Dialog title={t('hours.holidays')} onClose={onClose}>
      <Stack gap="md">
        <NativeSelect
          label={t('hours.year')}
          data-autofocus
          value={String(year)}
          data={[0, 1, 2, 3].map((more) => String(first + more))}
          onChange={(event) => setYear(Number(event.currentTarget.value))}
        />
        <Loaded query={holidays}>
          {(data) => (
            <Choice
              key={year}
              holidays={data}
              exceptions={exceptions}
              today={today}
              onDone={(chosen) => {
                onDone(chosen)
                announce(t('hours.holidaysAdded', { count: chosen.length }))
                onClose()
              }}
            />
          )}
        </Loaded>
      </Stack>
    </Dialog>
  )
}

function Choice({
  holidays,
  exceptions,
  today,
  onDone,
}: {
  holidays: Holiday[]
  exceptions: HoursException[]
  today: string
  onDone: (holidays: Holiday[]) => void
}) {
  const { t } = useTranslation()
  const there = holidays
    .filter((one) => isThere(exceptions, one))
    .map((one) => one.key)
  const [keys, setKeys] = useState(() =>
    toAdd(exceptions, holidays, today).map((one) => one.key),
  )
  const textOf = (one: Holiday) =>
    [
      dateText(one.date),
      one.yearly && t('hours.everyYear'),
      one.optional && t('hours.optional'),
      there.includes(one.key) && t('hours.there'),
    ]
      .filter(Boolean)
      .join(' · ')
  return (
    <>
      <Checkbox.Group
        aria-label={t('hours.holidays')}
        value={[...keys, ...there]}
        onChange={(next) => setKeys(next.filter((key) => !there.includes(key)))}
      >
        <div className={classes.holidays}>
          {holidays.map((one) => (
            <Checkbox
              key={one.key}
              value={one.key}
              disabled={there.includes(one.key)}
              label={t(`hours.holiday.${one.key}`, { defaultValue: one.name })}
              description={textOf(one)}
            />
          ))}
        </div>
      </Checkbox.Group>
      <Group justify="flex-end">
        <Button
          disabled={keys.length === 0}
          onClick={() =>
            onDone(holidays.filter((one) => keys.includes(one.key)))
          }
        >
          {t('hours.addCount', { count: keys.length })}
        </Button>
      </Group>
    </>
  )
}
