import { useTranslation } from 'react-i18next'

/** Report is the screen of that name. */
export default function Report() {
  const { t } = useTranslation()
  return <h1>{t('report.title')}</h1>
}
