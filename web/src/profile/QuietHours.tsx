import { Group, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { usePreference } from './usePreference'

/** What quiet hours are when they are turned on. */
const night = { from: '22:00', to: '07:00' }

/** QuietHours edits the time of day without push notifications. A time is saved when it is complete. */
export function QuietHours() {
  const { t } = useTranslation()
  const { company } = useMe()
  const [{ push }, change] = usePreference()
  const [typed, setTyped] = useState<Partial<typeof night>>({})
  const { quiet } = push
  const time = (end: 'from' | 'to') =>
    quiet && (
      <TextInput
        type="time"
        w={128}
        required
        withAsterisk={false}
        label={t(`push.${end}`)}
        value={typed[end] ?? quiet[end]}
        error={typed[end] === ''}
        onChange={(event) => {
          const { value } = event.currentTarget
          setTyped({ ...typed, [end]: value })
        }}
        onBlur={() => {
          const value = typed[end]
          setTyped({ ...typed, [end]: undefined })
          if (value && value !== quiet[end])
            void change({
              push: { ...push, quiet: { ...quiet, [end]: value } },
            })
        }}
      />
    )
  return (
    <Stack gap="sm">
      <Switch
        label={t('push.quiet')}
        description={t('push.quietText', {
          zone: company.timezone.replaceAll('_', ' '),
        })}
        checked={quiet !== null}
        onChange={(event) =>
          void change({
            push: {
              ...push,
              quiet: event.currentTarget.checked ? night : null,
            },
          })
        }
      />
      {quiet && (
        <Group gap="sm" align="flex-start">
          {time('from')}
          {time('to')}
        </Group>
      )}
    </Stack>
  )
}
