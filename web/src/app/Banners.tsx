import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { useUnsent } from '../inbox/composer/OutboxProvider'
import { useConnection } from '../live/useLive'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import { PlainButton } from '../ui/plain'
import classes from './Shell.module.css'

const BudgetBanner = part(() =>
  withTexts('costs', import('./BudgetBanner')).then((loaded) => loaded.default),
)

/** Banners reports a lost connection, unsent messages that cannot be stored, new versions, and that the budget is reached. */
export function Banners() {
  const { t } = useTranslation()
  const { state, newVersion } = useConnection()
  const { unsafe, serverFull } = useUnsent()
  const manages = useMe().scopes.includes('company:manage')
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
      {manages && (
        <Suspense fallback={null}>
          <BudgetBanner />
        </Suspense>
      )}
    </>
  )
}
