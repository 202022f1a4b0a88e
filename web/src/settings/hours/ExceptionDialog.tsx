import '@mantine/core/styles/Radio.layer.css'
import { Button, Group, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { HoursException } from '../../api/types'
import { Dialog } from '../../ui/Dialog'
import { everyYear, nextDate, yearly } from './exceptions'
import { fieldId, focusField, PeriodFields } from './PeriodFields'
import { addPeriod, wrongOf } from './week'

type Props = {
  exception: HoursException | null
  others: HoursException[]
  today: string
  onDone: (exception: HoursException) => void
  onClose: () => void
}

const id = 'exception'

/** ExceptionDialog creates or edits an exception: a date, of one year or every year, and its hours. */
export function ExceptionDialog({
  exception,
  others,
  today,
  onDone,
  onClose,
}: Props) {
  const { t } = useTranslation()
  const [date, setDate] = useState(
    exception ? nextDate(exception.date, today) : '',
  )
  const [every, setEvery] = useState(exception ? yearly(exception.date) : false)
  const [closed, setClosed] = useState(exception?.closed ?? true)
  const [periods, setPeriods] = useState(
    exception?.periods?.length ? exception.periods : (addPeriod([]) ?? []),
  )
  const [checked, setChecked] = useState(false)
  const full = every ? everyYear(date) : date
  const wrongDate = !date
    ? t('hours.wrong.date')
    : others.some((one) => one.date === full)
      ? t('hours.wrong.sameDate')
      : undefined
  const wrong = wrongOf(periods)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation() // this form is inside the page's form
    setChecked(true)
    if (wrongDate || (!closed && (periods.length === 0 || wrong.some(Boolean))))
      return
    onDone(
      closed
        ? { date: full, closed: true }
        : { date: full, closed: false, periods },
    )
    onClose()
  }
  return (
    <Dialog
      title={t(exception ? 'hours.editException' : 'hours.newException')}
      onClose={onClose}
    >
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            type="date"
            label={t('hours.date')}
            data-autofocus
            required
            withAsterisk={false}
            value={date}
            error={checked && wrongDate}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
          <Switch
            label={t('hours.everyYear')}
            description={t('hours.everyYearText')}
            checked={every}
            onChange={(event) => setEvery(event.currentTarget.checked)}
          />
          <Radio.Group
            label={t('hours.onThisDay')}
            value={closed ? 'closed' : 'open'}
            onChange={(value) => setClosed(value === 'closed')}
          >
            <Stack gap="xs" mt={4}>
              <Radio value="closed" label={t('hours.closedAllDay')} />
              <Radio value="open" label={t('hours.otherHours')} />
            </Stack>
          </Radio.Group>
          {!closed && (
            <Stack gap="xs" align="flex-start">
              <PeriodFields
                id={id}
                name={t('hours.thisDay')}
                periods={periods}
                onChange={setPeriods}
                onRemove={(index) =>
                  setPeriods(periods.filter((_, at) => at !== index))
                }
                problems={wrong.map((found) =>
                  checked && found ? { text: t(`hours.wrong.${found}`) } : null,
                )}
              />
              {checked && periods.length === 0 && (
                <span role="alert">{t('hours.wrong.noPeriod')}</span>
              )}
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconPlus size={16} />}
                disabled={addPeriod(periods) === null}
                onClick={() => {
                  setPeriods(addPeriod(periods) ?? periods)
                  focusField(fieldId(id, periods.length))
                }}
              >
                {t('hours.addPeriodPlain')}
              </Button>
            </Stack>
          )}
          <Group justify="flex-end">
            <Button type="submit">
              {t(exception ? 'hours.apply' : 'hours.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
