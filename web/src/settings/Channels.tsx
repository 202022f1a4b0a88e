import { Alert, Badge, Button, Group, Stack, TextInput } from '@mantine/core'
import { IconMessages, IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api, Failure as ApiFailure } from '../api/client'
import { keys } from '../api/keys'
import { useChannels, useMe } from '../api/queries'
import type { Channel } from '../api/types'
import { phone } from '../ui/format'
import { Empty, Failure, Loading } from '../ui/states'
import classes from './Settings.module.css'

/** testPhone is a number that belongs to nobody: the digits after the area code begin with 9 and 0000. */
export const testPhone = (channels: Channel[]) => `+551190000${String(1000 + channels.length).slice(-4)}`

/** Channels lists the company's numbers. */
export default function Channels() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const channels = useChannels()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const add = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await answer(api.POST('/channels', { body: { name: t('channels.name'), provider: 'sandbox', phone: testPhone(channels.data ?? []) } }))
      await client.invalidateQueries({ queryKey: keys.channels })
    } catch (error) {
      setProblem(error instanceof ApiFailure ? (error.details[0]?.message ?? error.message) : t('errors.unknown'))
    }
    setBusy(false)
  }
  const button = me.scopes.includes('channels:manage') && <Button leftSection={<IconPlus size={16} />} loading={busy} onClick={() => void add()}>{t('channels.add')}</Button>
  const sandbox = channels.data?.find((one) => one.provider === 'sandbox' && one.status === 'connected')
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1>{t('channels.title')}</h1>
          <p>{t('channels.text')}</p>
        </div>
        {channels.data && channels.data.length > 0 && button}
      </header>
      {problem && <Alert color="red" variant="light" mb="md">{problem}</Alert>}
      {channels.isPending && <Loading rows={3} />}
      {channels.isError && <Failure message={channels.error.message || t('errors.unknown')} onRetry={() => void channels.refetch()} />}
      {channels.data?.length === 0 && <Empty title={t('channels.none')} text={t('channels.noneText')}>{button}</Empty>}
      {channels.data && channels.data.length > 0 && (
        <ul className={classes.list} aria-label={t('channels.region')}>
          {channels.data.map((channel) => (
            <li key={channel.id} className={classes.item}>
              <div>
                <strong>{channel.name}</strong>
                <span>{[phone(channel.phone), t(`channels.${channel.provider}`), channel.status_reason, channel.warning].filter(Boolean).join(' · ')}</span>
              </div>
              <Badge variant="light" color={channel.status === 'connected' ? 'green' : 'red'} tt="none">{t(`channels.${channel.status}`)}</Badge>
            </li>
          ))}
        </ul>
      )}
      {sandbox && <Customer channel={sandbox} />}
    </div>
  )
}

/** Customer writes a message to a test number as a customer would. */
function Customer({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const [from, setFrom] = useState('+55 11 91234-5678')
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<{ sent: boolean; text: string } | null>(null)
  const send = async () => {
    try {
      await answer(api.POST('/channels/{id}/simulate', { params: { path: { id: channel.id } }, body: { from: from.trim(), ...(name.trim() ? { name: name.trim() } : {}), text: text.trim() } }))
      setOutcome({ sent: true, text: t('channels.sent') })
      setText('')
    } catch (error) {
      setOutcome({ sent: false, text: error instanceof ApiFailure ? (error.details[0]?.message ?? error.message) : t('errors.unknown') })
    }
  }
  return (
    <form
      aria-label={t('channels.write')} className={classes.item} data-form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Stack gap="sm" flex={1}>
        <h2>{t('channels.write')}</h2>
        <Group grow align="flex-start">
          <TextInput label={t('channels.phone')} required withAsterisk={false} value={from} onChange={(event) => setFrom(event.currentTarget.value)} />
          <TextInput label={t('channels.customer')} maxLength={120} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        </Group>
        <TextInput label={t('channels.message')} required withAsterisk={false} maxLength={4096} value={text} onChange={(event) => setText(event.currentTarget.value)} />
        {outcome && <Alert color={outcome.sent ? 'green' : 'red'} variant="light" role={outcome.sent ? 'status' : 'alert'}>{outcome.text}</Alert>}
        <Group justify="flex-end">
          {outcome?.sent && <Button component={Link} to="/" variant="default" leftSection={<IconMessages size={16} />}>{t('channels.inbox')}</Button>}
          <Button type="submit">{t('channels.send')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
