import { useTranslation } from 'react-i18next'

/** Contacts is the screen of that name. */
export default function Contacts() {
  const { t } = useTranslation()
  return <h1>{t('contacts.title')}</h1>
}
