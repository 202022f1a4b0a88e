import { IconMoodEmpty } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../ui/states'

/** NotFound is the page for addresses that do not exist. */
export function NotFound() {
  const { t } = useTranslation()
  return (
    <Empty
      icon={<IconMoodEmpty size={28} />}
      title={t('notFound.title')}
      text={t('notFound.text')}
    >
      <Link to="/">{t('notFound.home')}</Link>
    </Empty>
  )
}
