import { Alert, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Section } from '../ui/Layout'

/** ChannelSign edits whether messages sent through a number start with the sender's name. */
export function ChannelSign({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, problem, run } = useSubmit()
  const change = (sign: boolean) =>
    run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: { sign },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  return (
    <Section title={t('channels.signature')} text={t('channels.signatureText')}>
      <Switch
        label={t('channels.sign')}
        checked={channel.sign}
        disabled={busy}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      {problem && (
        <Alert color="red" variant="light" mt="md">
          {problem}
        </Alert>
      )}
    </Section>
  )
}
