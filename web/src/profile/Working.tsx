import { Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { presences, presenceText, usePresence } from '../api/usePresence'
import { Section } from '../ui/Layout'
import { Choice } from './Choice'
import { usePreference } from './usePreference'

/** Working edits how messages are sent, when they are marked as read, and whether shortcuts are on. */
export function Working() {
  const { t } = useTranslation()
  const [preferences, change] = usePreference()
  const [presence, choosePresence] = usePresence()
  return (
    <Section title={t('profile.working')}>
      <Stack gap="lg">
        <Choice
          label={t('profile.presence')}
          description={t('profile.presenceText')}
          value={presence}
          onChange={(value) => void choosePresence(value)}
          options={presences.map((one) => [one, t(presenceText[one])])}
        />
        <Choice
          label={t('profile.sending')}
          value={preferences.send_with}
          onChange={(send_with) => void change({ send_with })}
          options={[
            ['enter', t('profile.enter')],
            ['ctrl_enter', t('profile.ctrlEnter')],
          ]}
        />
        <Choice
          label={t('profile.marking')}
          value={preferences.mark_read}
          onChange={(mark_read) => void change({ mark_read })}
          options={[
            ['opening', t('profile.opening')],
            ['answering', t('profile.answering')],
          ]}
        />
        <Switch
          label={t('composer.sign')}
          checked={preferences.sign}
          onChange={(event) =>
            void change({ sign: event.currentTarget.checked })
          }
        />
        <Switch
          label={t('shell.shortcuts')}
          description={t('profile.shortcutsText')}
          checked={preferences.shortcuts}
          onChange={(event) =>
            void change({ shortcuts: event.currentTarget.checked })
          }
        />
      </Stack>
    </Section>
  )
}
