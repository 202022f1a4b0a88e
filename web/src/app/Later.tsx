import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../ui/states'

/** Later stands where a screen is not built yet. */
export default function Later() {
  const { t } = useTranslation()
  return (
    <Empty title={t('later.title')} text={t('later.text')}>
      <Button component={Link} to="/" variant="default">{t('later.inbox')}</Button>
    </Empty>
  )
}
