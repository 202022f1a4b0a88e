import { Badge, Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { removeDevice } from '../api/push'
import { useMe } from '../api/queries'
import { useAttempt } from '../api/useAttempt'
import { dateAndTime } from '../ui/format'
import { useDevices } from './useDevices'
import rows from '../ui/rows.module.css'
import classes from './Profile.module.css'

/** DeviceList lists the devices that get push notifications and removes them. */
export function DeviceList() {
  const { t } = useTranslation()
  const { user } = useMe()
  const attempt = useAttempt()
  const { devices, here, reload } = useDevices()
  if (!devices.data?.length) return null
  const remove = async (id: string) => {
    await attempt(() => removeDevice(user.id, id), t('push.removed'))
    await reload()
  }
  return (
    <div>
      <div className={classes.legend}>{t('push.devices')}</div>
      <ul className={rows.rows} aria-label={t('push.devices')}>
        {devices.data.map(({ id, device, created_at, last_used_at }) => (
          <li key={id} className={rows.row} data-wrap>
            <div className={rows.main}>
              <strong>{device}</strong>
              <span>
                {last_used_at
                  ? t('push.used', { time: dateAndTime(last_used_at) })
                  : t('push.unused', { time: dateAndTime(created_at) })}
              </span>
            </div>
            {id === here && (
              <Badge variant="light" color="green" tt="none">
                {t('push.thisDevice')}
              </Badge>
            )}
            <Button
              variant="subtle"
              color="red"
              size="xs"
              aria-label={t('push.removeName', { name: device })}
              onClick={() => void remove(id)}
            >
              {t('push.remove')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
