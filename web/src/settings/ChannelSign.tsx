import { Alert, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { Section } from './Page'
import { useSave } from './useSave'

/** ChannelSign chooses whether every message of a person through a number begins with the person's name. */
export function ChannelSign({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, problems, save } = useSave()
  const change = (sign: boolean) =>
    save(async () => {
      await answer(api.PATCH('/channels/{id}', { params: { path: { id: channel.id } }, body: { sign } }))
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  return (
    <Section title={t('channels.signature')} text={t('channels.signatureText')}>
      <Switch label={t('channels.sign')} checked={channel.sign} disabled={busy} onChange={(event) => void change(event.currentTarget.checked)} />
      {problems.other && <Alert color="red" variant="light" mt="md">{problems.other}</Alert>}
    </Section>
  )
}
