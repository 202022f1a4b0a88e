import { Alert, Button, Stack, Switch, TextInput } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { Channel, Viewer } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { useSubmit } from '../api/useSubmit'
import { CopyField } from '../ui/CopyField'
import { FormFooter } from '../ui/FormFooter'
import { Page, Section } from '../ui/Layout'
import { ArchiveNumber } from './ArchiveNumber'
import { ChannelHours } from './ChannelHours'
import { ChannelPace } from './ChannelPace'
import { ChannelSign } from './ChannelSign'
import { ChannelStatus } from './ChannelStatus'
import { numberLine } from './channelText'
import { Customer } from './Customer'
import { ImportSection } from './ImportSection'
import { LinkSection } from './LinkSection'
import { Reconnect } from './Reconnect'
import { ReopenTemplate } from './ReopenTemplate'
import { useConnection } from './useConnection'
import { useFresh } from './useFresh'
import { Viewers } from './Viewers'
import classes from './Settings.module.css'

type Props = { channel: Channel; viewers: Viewer[] | undefined; fresh: boolean }

/** ChannelPage is the page of one number. fresh means that it was just connected. */
export function ChannelPage({ channel, viewers, fresh }: Props) {
  const { t } = useTranslation()
  const whatsapp = channel.provider === 'whatsapp'
  return (
    <Page
      title={channel.name}
      text={numberLine(channel, t)}
      action={
        <Link
          to="/settings/$"
          params={{ _splat: 'channels' }}
          className={classes.link}
        >
          <IconChevronLeft size={16} aria-hidden />
          {t('channels.title')}
        </Link>
      }
    >
      {fresh && (
        <Alert color="green" variant="light" role="status" mb="md">
          {t('channels.fresh')}
        </Alert>
      )}
      {channel.provider === 'linked' ? (
        <LinkSection channel={channel} />
      ) : (
        <ChannelStatus channel={channel} />
      )}
      {channel.provider === 'sandbox' && <Customer channel={channel} />}
      {whatsapp && <ImportSection channel={channel} />}
      {whatsapp && <AtMeta channel={channel} />}
      <Section title={t('settings.name')}>
        <Rename key={channel.name} channel={channel} />
      </Section>
      {channel.provider === 'linked' && <ChannelPace channel={channel} />}
      <ChannelSign channel={channel} />
      <ChannelHours channel={channel} />
      {whatsapp && (
        <Section title={t('templates.title')} text={t('templates.text')}>
          <Button
            component={Link}
            variant="default"
            to={`/settings/channels/${channel.id}/templates`}
          >
            {t('templates.open')}
          </Button>
        </Section>
      )}
      {whatsapp && <ReopenTemplate channel={channel} />}
      {whatsapp && <Reconnect channel={channel} />}
      <Section title={t('channels.seen')} text={t('channels.seenText')}>
        <Viewers channel={channel.id} viewers={viewers} canOpen />
      </Section>
      <ArchiveNumber channel={channel} />
    </Page>
  )
}

/** AtMeta shows the values to enter at Meta so that it calls this server, and whether the number is also in the WhatsApp Business app. */
function AtMeta({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const key = keys.connection(channel.id)
  const params = { path: { id: channel.id } }
  useFresh(key)
  const connection = useConnection(channel.id)
  const share = (coexistence: boolean) =>
    attempt(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', { params, body: { coexistence } }),
      )
      await client.invalidateQueries({ queryKey: key })
    }, t('details.saved'))
  return (
    <Section title={t('channels.callbacks')} text={t('channels.callbacksText')}>
      <Loaded query={connection}>
        {({ callback_url, verify_token, coexistence }) => (
          <Stack gap="md">
            <CopyField
              label={t('channels.callback')}
              value={callback_url ?? ''}
            />
            <CopyField
              label={t('channels.verifyToken')}
              value={verify_token ?? ''}
            />
            <Switch
              label={t('connect.coexistence')}
              description={t('connect.coexistenceText')}
              checked={coexistence ?? false}
              onChange={(event) => void share(event.currentTarget.checked)}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function Rename({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(channel.name)
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['name'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: { name: name.trim() },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          aria-label={t('settings.name')}
          description={t('channels.nameText')}
          required
          maxLength={120}
          value={name}
          error={wrong.name}
          onChange={(event) => {
            touch()
            setName(event.currentTarget.value)
          }}
        />
        <FormFooter
          busy={busy}
          saved={done}
          problem={problem}
          submit={t('common.save')}
        />
      </Stack>
    </form>
  )
}
