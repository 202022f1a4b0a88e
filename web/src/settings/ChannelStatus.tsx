import { Alert, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import type { Channel, ChannelTest } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { phone } from '../ui/format'
import { Section } from '../ui/Layout'
import { channelText } from './channelText'

/** ChannelStatus shows whether a number works, and tests, disconnects and reconnects it. */
export function ChannelStatus({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, problem, run } = useSubmit()
  const [test, setTest] = useState<ChannelTest | null>(null)
  const [asking, setAsking] = useState(false)
  const connected = channel.status === 'connected'
  const params = { path: { id: channel.id } }
  const set = async (status: Channel['status']) => {
    setTest(null)
    await unwrap(api.PATCH('/channels/{id}', { params, body: { status } }))
    await client.invalidateQueries({ queryKey: keys.channels })
  }
  const said = (reason: Channel['warning']) => reason && channelText(reason, t)
  const tone = !connected ? 'red' : channel.warning ? 'yellow' : 'green'
  return (
    <Section title={t('channels.status')}>
      <Stack gap="md">
        <Alert
          color={tone}
          variant="light"
          role="status"
          title={t(
            connected
              ? channel.warning
                ? 'channels.warned'
                : 'channels.works'
              : 'channels.disconnected',
          )}
        >
          {connected ? (
            (said(channel.warning) ?? t('channels.worksText'))
          ) : (
            <>
              {said(channel.status_reason)} {t('channels.disconnectedText')}
            </>
          )}
        </Alert>
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        {test && <TestResult test={test} />}
        <Group gap="xs">
          <Button
            variant="default"
            loading={busy}
            onClick={() =>
              void run(async () =>
                setTest(
                  await unwrap(api.POST('/channels/{id}/test', { params })),
                ),
              )
            }
          >
            {t('channels.test')}
          </Button>
          {connected ? (
            <Button variant="default" onClick={() => setAsking(true)}>
              {t('channels.disconnect')}
            </Button>
          ) : (
            <Button
              disabled={busy}
              onClick={() => void run(() => set('connected'))}
            >
              {t('channels.connectAgain')}
            </Button>
          )}
        </Group>
      </Stack>
      {asking && (
        <Confirm
          title={t('channels.disconnectTitle', { name: channel.name })}
          text={t('channels.disconnectText')}
          action={t('channels.disconnect')}
          onClose={() => setAsking(false)}
          task={() => set('disconnected')}
        />
      )}
    </Section>
  )
}

function TestResult({ test }: { test: ChannelTest }) {
  const { t } = useTranslation()
  if (!test.ok)
    return (
      <Alert color="red" variant="light" title={t('channels.testFailed')}>
        {test.error && channelText(test.error, t)}
      </Alert>
    )
  const details = [
    phone(test.phone),
    test.verified_name &&
      t('channels.verifiedName', { name: test.verified_name }),
    test.quality &&
      t('channels.quality', {
        quality: t(`channels.qualities.${test.quality}`, {
          defaultValue: test.quality,
        }),
      }),
  ]
  return (
    <Alert
      color="green"
      variant="light"
      role="status"
      title={t('channels.testPassed')}
    >
      {details.filter(Boolean).join(' · ')}
    </Alert>
  )
}
