import { Alert, Button, Group, NativeSelect, Stack } from '@mantine/core'
import { IconVolume } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Preferences } from '../api/types'
import { Section } from '../ui/Layout'
import { obstacleOf, thisBrowser } from '../ui/pushSupport'
import { playSound } from '../ui/sound'
import { usePreference } from './usePreference'

/**
 * Notices edits which messages the user is notified of while the app is open, and the sound. The switch of this device also asks for the
 * permission; here is a button for browsers without push notifications only.
 */
export function Notices() {
  const { t } = useTranslation()
  const [preferences, change] = usePreference()
  const [permission, setPermission] = useState(() =>
    obstacleOf(thisBrowser()) === 'unsupported' && 'Notification' in window
      ? Notification.permission
      : 'granted',
  )
  const ask = async () => setPermission(await Notification.requestPermission())
  const sound = (value: string) => {
    const chosen = value as Preferences['sound']
    playSound(chosen)
    void change({ sound: chosen })
  }
  return (
    <Section title={t('profile.notices')} text={t('profile.noticesText')}>
      <Stack gap="lg">
        <NativeSelect
          label={t('profile.notify')}
          maw={420}
          value={preferences.notify}
          onChange={(event) =>
            void change({
              notify: event.currentTarget.value as Preferences['notify'],
            })
          }
          data={[
            { value: 'mine_and_queues', label: t('profile.mine') },
            { value: 'everything', label: t('profile.everything') },
            { value: 'nothing', label: t('profile.nothing') },
          ]}
        />
        {permission === 'default' && (
          <Group>
            <Button variant="default" onClick={() => void ask()}>
              {t('profile.allow')}
            </Button>
          </Group>
        )}
        {permission === 'denied' && preferences.notify !== 'nothing' && (
          <Alert variant="light" color="gray" role="note">
            {t('profile.denied')}
          </Alert>
        )}
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label={t('profile.sound')}
            w={200}
            value={preferences.sound}
            onChange={(event) => sound(event.currentTarget.value)}
            data={[
              { value: 'chime', label: t('profile.chime') },
              { value: 'drop', label: t('profile.drop') },
              { value: 'none', label: t('profile.none') },
            ]}
          />
          <Button
            variant="default"
            leftSection={<IconVolume size={16} />}
            disabled={preferences.sound === 'none'}
            onClick={() => playSound(preferences.sound)}
          >
            {t('media.play')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
