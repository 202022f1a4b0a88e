import { Alert } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Section } from '../ui/Layout'
import { Saved } from '../ui/Saved'
import { HoursSelect } from './HoursSelect'

/** ChannelHours selects a number's opening hours. */
export function ChannelHours({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, done, problem, run } = useSubmit()
  const change = (hours_id: string | null) =>
    run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: { hours_id },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  return (
    <Section title={t('hours.select')} text={t('hours.channelText')}>
      <HoursSelect
        titled
        value={channel.hours_id}
        none={t('hours.ofCompany')}
        disabled={busy}
        onChange={(id) => void change(id)}
      />
      <Saved shown={done} />
      {problem && (
        <Alert color="red" variant="light" mt="md">
          {problem}
        </Alert>
      )}
    </Section>
  )
}
