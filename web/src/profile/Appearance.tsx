import { NativeSelect, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isLanguage, languageNames, languages, setLanguage } from '../ui/i18n'
import { Section } from '../ui/Layout'
import { Choice } from './Choice'
import { usePreference } from './usePreference'

/** Appearance edits the theme and the language. */
export function Appearance() {
  const { t, i18n } = useTranslation()
  const [preferences, change] = usePreference()
  const speak = (value: string) => {
    if (!isLanguage(value)) return
    void setLanguage(value).then(() => change({ language: value }))
  }
  return (
    <Section title={t('profile.appearance')}>
      <Stack gap="lg">
        <Choice
          label={t('profile.theme')}
          value={preferences.theme}
          onChange={(theme) => void change({ theme })}
          options={[
            ['system', t('profile.system')],
            ['light', t('profile.light')],
            ['dark', t('profile.dark')],
          ]}
        />
        <NativeSelect
          label={t('signIn.language')}
          maw={320}
          value={i18n.language}
          data={languages.map((value) => ({
            value,
            label: languageNames[value],
          }))}
          onChange={(event) => speak(event.currentTarget.value)}
        />
      </Stack>
    </Section>
  )
}
