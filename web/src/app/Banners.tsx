import { useTranslation } from 'react-i18next'
import { useUnsent } from '../inbox/composer/OutboxProvider'
import { useConnection } from '../live/useLive'
import { PlainButton } from '../ui/plain'
import classes from './Shell.module.css'

/** Banners reports a lost connection, unsent messages that cannot be stored, and new versions. */
export function Banners() {
  const { t } = useTranslation()
  const { state, newVersion } = useConnection()
  const { unsafe, serverFull } = useUnsent()
  return (
    <>
      {state === 'offline' && (
        <div role="alert" className={classes.banner} data-tone="red">
          {t('banner.offline')}
        </div>
      )}
      {state === 'reconnecting' && (
        <div role="status" className={classes.banner}>
          {t('banner.reconnecting')}
        </div>
      )}
      {serverFull && (
        <div role="alert" className={classes.banner} data-tone="red">
          {t('refusal.storage_full')}
        </div>
      )}
      {unsafe && (
        <div role="status" className={classes.banner}>
          {t('banner.unsafe')}
        </div>
      )}
      {newVersion && (
        <div role="status" className={classes.banner} data-tone="green">
          {t('banner.newVersion')}
          <PlainButton size="compact" onClick={() => location.reload()}>
            {t('banner.reload')}
          </PlainButton>
        </div>
      )}
    </>
  )
}
