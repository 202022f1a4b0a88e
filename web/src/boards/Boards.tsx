import { useTranslation } from 'react-i18next'

/** Boards is the screen of that name. */
export default function Boards() {
  const { t } = useTranslation()
  return <h1>{t('boards.title')}</h1>
}
