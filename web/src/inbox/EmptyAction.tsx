import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useChannels, useMe } from '../api/queries'

/** EmptyAction is what helps on where there is no conversation: a number, while the company has none, else a new conversation. */
export function EmptyAction({ onNew }: { onNew: () => void }) {
  const { t } = useTranslation()
  const none = useChannels().data?.length === 0
  const manages = useMe().scopes.includes('channels:manage')
  if (none && manages) return <Button component={Link} to="/settings/channels">{t('empty.connect')}</Button>
  return <Button variant="default" onClick={onNew}>{t('list.new')}</Button>
}
