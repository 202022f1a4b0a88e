import { IconMapPinFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { mapAddress, parseLocation } from './attachments'
import classes from './Attached.module.css'

/** Place is a shared location with a link to a map. */
export function Place({ text }: { text: string }) {
  const { t } = useTranslation()
  const location = parseLocation(text)
  return (
    <div className={classes.card}>
      <div className={classes.map} aria-hidden>
        <IconMapPinFilled size={30} />
      </div>
      <p className={classes.title}>{location.name || t('kind.location')}</p>
      <p className={classes.small}>
        {location.address || location.point?.replace(',', ', ')}
      </p>
      {text && (
        <a
          className={classes.action}
          href={mapAddress(location)}
          target="_blank"
          rel="noopener noreferrer"
        >
          {t('location.open')}
        </a>
      )}
    </div>
  )
}
