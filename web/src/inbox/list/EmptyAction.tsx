import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useChannels, useMe } from '../../api/queries'
import { buttonLook, PlainButton } from '../../ui/plain'

/** EmptyAction is the action of an empty list: connect a number if there is none, otherwise start a conversation. */
export function EmptyAction({ onNew }: { onNew: () => void }) {
  const { t } = useTranslation()
  const none = useChannels().data?.length === 0
  const manages = useMe().scopes.includes('channels:manage')
  if (none && manages)
    return (
      <Link to="/settings/$" params={{ _splat: 'channels' }} {...buttonLook}>
        {t('empty.connect')}
      </Link>
    )
  return (
    <PlainButton look="default" onClick={onNew}>
      {t('list.new')}
    </PlainButton>
  )
}
