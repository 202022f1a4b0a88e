import { IconSpeakerphone } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../api/types'
import { webAddress } from './attachments'
import classes from './Attached.module.css'

/** Advert shows the ad or post that the customer came from. Its pictures are on other hosts and are not loaded. */
export function Advert({
  referral,
}: {
  referral: NonNullable<Message['referral']>
}) {
  const { t } = useTranslation()
  const { headline, body, source_type: type, source_url: url } = referral
  const address = webAddress(url)
  return (
    <div className={classes.advert}>
      <p className={classes.kind}>
        <IconSpeakerphone size={14} aria-hidden />{' '}
        {t(type === 'post' ? 'referral.post' : 'referral.title')}
      </p>
      {headline && <p className={classes.title}>{headline}</p>}
      {body && <p className={classes.small}>{body}</p>}
      {address && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {t('referral.open')} · {new URL(address).hostname}
        </a>
      )}
    </div>
  )
}
