import { Alert } from '@mantine/core'
import { IconShare2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Obstacle as Why } from '../ui/pushSupport'
import classes from './Profile.module.css'

/** Obstacle explains why this device cannot get push notifications yet, and what to do. */
export function Obstacle({ why }: { why: Why }) {
  const { t } = useTranslation()
  if (why !== 'install')
    return (
      <Alert variant="light" color="gray" role="note">
        {t(`push.${why}`)}
      </Alert>
    )
  return (
    <Alert
      variant="light"
      color="gray"
      role="note"
      title={t('push.install')}
      aria-label={t('push.install')}
    >
      {t('push.installText')}
      <ol className={classes.steps}>
        <li>
          {t('push.installShare')}{' '}
          <IconShare2 size={16} aria-hidden className={classes.sign} />
        </li>
        <li>{t('push.installAdd')}</li>
        <li>{t('push.installOpen')}</li>
      </ol>
    </Alert>
  )
}
