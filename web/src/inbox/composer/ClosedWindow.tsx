import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries'
import type { Channel } from '../../api/types'
import classes from './Composer.module.css'

type Props = {
  channel: Channel | undefined
  neverWrote: boolean
  onTemplate: () => void
}

/** ClosedWindow says that WhatsApp accepts only templates now, and what can be done: a template, or a message that waits for the customer's answer. */
export function ClosedWindow({ channel, neverWrote, onTemplate }: Props) {
  const { t } = useTranslation()
  const manages = useMe().scopes.includes('channels:manage')
  return (
    <div
      role="group"
      aria-label={t('composer.windowClosed')}
      className={classes.closed}
    >
      <p>
        <strong>
          {neverWrote ? t('composer.neverWrote') : t('composer.windowClosed')}
        </strong>
        <br />
        {channel?.reopen_template
          ? t('composer.holdText')
          : neverWrote
            ? t('composer.neverWroteText')
            : t('composer.windowText')}
        {channel && !channel.reopen_template && (
          <>
            {' '}
            {t('composer.noReopen')}{' '}
            {manages ? (
              <Link
                to="/settings/$"
                params={{ _splat: `channels/${channel.id}` }}
              >
                {t('composer.reopenSettings')}
              </Link>
            ) : (
              t('composer.reopenAsk')
            )}
          </>
        )}
      </p>
      <Button
        variant={channel?.reopen_template ? 'default' : 'filled'}
        size={channel?.reopen_template ? 'xs' : 'sm'}
        onClick={onTemplate}
      >
        {t('composer.chooseTemplate')}
      </Button>
    </div>
  )
}
