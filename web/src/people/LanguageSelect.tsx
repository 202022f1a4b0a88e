import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  chooseLanguage,
  isLanguage,
  languageNames,
  languages,
} from '../ui/i18n'

/** LanguageSelect changes the page's language immediately. */
export function LanguageSelect() {
  const { t, i18n } = useTranslation()
  return (
    <NativeSelect
      label={t('signIn.language')}
      value={i18n.language}
      data={languages.map((value) => ({ value, label: languageNames[value] }))}
      onChange={({ currentTarget: { value } }) =>
        isLanguage(value) && void chooseLanguage(value)
      }
    />
  )
}
