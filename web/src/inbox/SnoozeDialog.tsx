import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayAndTime, instant, localTime } from '../ui/format'
import { Dialog } from '../ui/Dialog'

const hour = 3_600_000

/** presets returns common times in the company's time zone. */
export function presets(
  now: Date,
): { id: 'hour' | 'evening' | 'tomorrow' | 'monday'; at: Date }[] {
  const [today = ''] = localTime(now).split('T')
  const at = (days: number, time: string) => {
    const day = new Date(Date.parse(`${today}T00:00Z`) + days * 24 * hour)
    return instant(`${day.toISOString().slice(0, 10)}T${time}`)
  }
  const evening = at(0, '18:00')
  const toMonday = (8 - new Date(`${today}T00:00Z`).getUTCDay()) % 7 || 7
  return [
    { id: 'hour' as const, at: new Date(now.getTime() + hour) },
    ...(evening.getTime() - now.getTime() > hour
      ? [{ id: 'evening' as const, at: evening }]
      : []),
    { id: 'tomorrow' as const, at: at(1, '08:00') },
    { id: 'monday' as const, at: at(toMonday, '08:00') },
  ]
}

/** SnoozeDialog snoozes a conversation until a chosen time. */
export function SnoozeDialog({
  onClose,
  onSnooze,
}: {
  onClose: () => void
  onSnooze: (until: string) => Promise<boolean>
}) {
  const { t } = useTranslation()
  const [date, setDate] = useState('')
  const go = async (until: Date) =>
    (await onSnooze(until.toISOString())) && onClose()
  return (
    <Dialog title={t('conversation.snooze')} onClose={onClose}>
      <Stack gap="xs">
        {presets(new Date()).map(({ id, at }) => (
          <Button
            key={id}
            variant="default"
            justify="space-between"
            rightSection={
              <Text span size="sm" c="dimmed">
                {dayAndTime(at)}
              </Text>
            }
            onClick={() => void go(at)}
          >
            {t(`snooze.${id}`)}
          </Button>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (date) void go(instant(date))
          }}
        >
          <Group align="flex-end" wrap="nowrap">
            <TextInput
              type="datetime-local"
              label={t('snooze.date')}
              min={localTime(new Date())}
              value={date}
              flex={1}
              miw={0}
              required
              withAsterisk={false}
              onChange={(event) => setDate(event.currentTarget.value)}
            />
            <Button type="submit" flex="none">
              {t('conversation.snooze')}
            </Button>
          </Group>
        </form>
      </Stack>
    </Dialog>
  )
}
