import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dateAndTime } from '../ui/format'
import { Dialog } from '../ui/Dialog'

const hour = 3_600_000

/** presets are times at which people usually want to be reminded. */
export function presets(now: Date): { id: 'hour' | 'evening' | 'tomorrow' | 'monday'; at: Date }[] {
  const at = (days: number, hours: number) => {
    const time = new Date(now)
    time.setDate(time.getDate() + days)
    time.setHours(hours, 0, 0, 0)
    return time
  }
  const evening = at(0, 18)
  const toMonday = (8 - now.getDay()) % 7 || 7
  return [
    { id: 'hour' as const, at: new Date(now.getTime() + hour) },
    ...(evening.getTime() - now.getTime() > hour ? [{ id: 'evening' as const, at: evening }] : []),
    { id: 'tomorrow' as const, at: at(1, 8) },
    { id: 'monday' as const, at: at(toMonday, 8) },
  ]
}

/** SnoozeDialog takes a conversation out of the list until a time. */
export function SnoozeDialog({ onClose, onSnooze }: { onClose: () => void; onSnooze: (until: string) => Promise<boolean> }) {
  const { t } = useTranslation()
  const [date, setDate] = useState('')
  const go = async (until: Date) => (await onSnooze(until.toISOString())) && onClose()
  return (
    <Dialog title={t('conversation.snooze')} onClose={onClose}>
      <Stack gap="xs">
        {presets(new Date()).map(({ id, at }) => (
          <Button key={id} variant="default" justify="space-between" rightSection={<span>{dateAndTime(at)}</span>} onClick={() => void go(at)}>{t(`snooze.${id}`)}</Button>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (date) void go(new Date(date))
          }}
        >
          <Group align="flex-end" wrap="nowrap">
            <TextInput type="datetime-local" label={t('snooze.date')} value={date} flex={1} required withAsterisk={false} onChange={(event) => setDate(event.currentTarget.value)} />
            <Button type="submit">{t('conversation.snooze')}</Button>
          </Group>
        </form>
      </Stack>
    </Dialog>
  )
}
