import { Alert, Button, Group, Stack, Switch } from '@mantine/core'
import { IconDownload, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { forgetPush, PushRefused, removeDevice, turnOnPush } from '../api/push'
import { useMe } from '../api/queries'
import { refusal } from '../api/refusal'
import { useInstall } from '../ui/install'
import { obstacleOf, thisBrowser } from '../ui/pushSupport'
import { Obstacle } from './Obstacle'
import { useDevices } from './useDevices'

type Result = { tone: 'green' | 'red'; text: string }

/** ThisDevice turns push notifications on this device on and off, and tests them. */
export function ThisDevice() {
  const { t } = useTranslation()
  const { user } = useMe()
  const { here, pending, reload } = useDevices()
  const install = useInstall()
  const [busy, setBusy] = useState<'switch' | 'test' | null>(null)
  const [result, setResult] = useState<Result | null>(null)
  const obstacle = obstacleOf(thisBrowser())

  /** run runs a task, which returns a message, and shows its result. */
  const run = async (
    what: 'switch' | 'test',
    task: () => Promise<Result | null>,
  ) => {
    setBusy(what)
    setResult(null)
    try {
      setResult(await task())
    } catch (error) {
      const refused = error instanceof PushRefused ? error.why : null
      // A permission that was just refused is explained by Obstacle.
      if (refused !== 'denied')
        setResult({
          tone: 'red',
          text: refused ? t(`push.${refused}`) : refusal(error, t),
        })
    }
    await reload()
    setBusy(null)
  }
  const turnOn = async (): Promise<Result> => {
    await turnOnPush(user.id)
    return { tone: 'green', text: t('push.isOn') }
  }
  const turnOff = async (id: string) => {
    await removeDevice(user.id, id)
    return null
  }
  const test = async (id: string): Promise<Result> => {
    const {
      sent,
      removed,
      status_code: status,
    } = await unwrap(
      api.POST('/me/push-subscriptions/{id}/test', {
        params: { path: { id } },
      }),
    )
    if (sent) return { tone: 'green', text: t('push.testSent') }
    if (!removed)
      return {
        tone: 'red',
        text:
          status === null
            ? t('push.testUnreached')
            : t('push.testFailed', { status }),
      }
    await forgetPush(user.id)
    return { tone: 'red', text: t('push.testGone') }
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Switch
        label={t('push.here')}
        checked={(here !== null) !== (busy === 'switch')} // reacts to the click itself
        disabled={obstacle !== null || pending}
        aria-busy={busy === 'switch'}
        onChange={() => {
          if (busy) return
          void run('switch', () => (here ? turnOff(here) : turnOn()))
        }}
      />
      {obstacle && <Obstacle why={obstacle} />}
      <div role="status">
        {result && (
          <Alert variant="light" color={result.tone} role="presentation">
            {result.text}
          </Alert>
        )}
      </div>
      {(here !== null || install) && (
        <Group gap="sm">
          {here !== null && (
            <Button
              variant="default"
              leftSection={<IconSend size={16} />}
              loading={busy === 'test'}
              onClick={() => void run('test', () => test(here))}
            >
              {t('push.test')}
            </Button>
          )}
          {install && (
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={install}
            >
              {t('push.installApp')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
