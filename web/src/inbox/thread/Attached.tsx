import {
  IconDownload,
  IconFile,
  IconInfoCircle,
  IconMapPin,
  IconPhone,
  IconUser,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { contentAddress } from '../../api/upload'
import type { Media, Message } from '../../api/types'
import { noticeText } from '../../contact/notice'
import { fileSize } from '../../ui/format'
import { Voice } from './Voice'
import classes from './Attached.module.css'
import { part } from '../../ui/parts'

const MediaDialog = part(() =>
  import('./MediaDialog').then((loaded) => loaded.default),
)

/** Attached shows a message's media, location or contacts. */
export function Attached({ message }: { message: Message }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const { type } = message
  const media: Media | null = message.media
  if (message.notice) {
    const Icon = message.notice.code.endsWith('_call')
      ? IconPhone
      : IconInfoCircle
    return (
      <p className={classes.other}>
        <Icon size={18} aria-hidden />{' '}
        <span>{noticeText(message.notice, message.text, t)}</span>
      </p>
    )
  }
  if (type === 'unsupported')
    return <p className={classes.other}>{t('kind.unsupported')}</p>
  if (type === 'location') {
    return (
      <p className={classes.other}>
        <IconMapPin size={18} />{' '}
        <span>
          {t('kind.location')}
          {message.text ? `: ${message.text}` : ''}
        </span>
      </p>
    )
  }
  if (type === 'contacts')
    return (
      <p className={classes.other}>
        <IconUser size={18} /> {t('kind.contacts')}
      </p>
    )
  if (!media)
    return type === 'text' || type === 'interactive' ? null : (
      <p className={classes.other}>{t('media.missing')}</p>
    )
  const address = contentAddress(media.id)
  const name = media.file_name ?? ''
  const size =
    media.width && media.height
      ? {
          aspectRatio: `${media.width} / ${media.height}`,
          width: Math.min(320, media.width),
        }
      : { width: 260, height: 200 }
  if (type === 'image' || type === 'sticker') {
    return (
      <>
        <button
          type="button"
          className={classes.image}
          data-sticker={type === 'sticker' || undefined}
          style={type === 'sticker' ? { width: 128, height: 128 } : size}
          aria-label={
            name ? t('media.openNamed', { file: name }) : t('media.open')
          }
          onClick={() => setOpen(true)}
        >
          <img src={address} alt="" loading="lazy" decoding="async" />
        </button>
        {open && (
          <Suspense fallback={null}>
            <MediaDialog message={message} onClose={() => setOpen(false)} />
          </Suspense>
        )}
      </>
    )
  }
  if (type === 'video')
    return (
      <video
        className={classes.video}
        style={size}
        src={address}
        controls
        preload="none"
        aria-label={name || t('kind.video')}
      />
    )
  if (type === 'audio')
    return <Voice address={address} seconds={media.duration_seconds ?? null} />
  const label = t('media.download', {
    file: name || t('kind.document'),
    size: fileSize(media.size),
  })
  return (
    <a className={classes.file} href={address} download={name || true}>
      <IconFile size={22} />
      <span className="visually-hidden">{label}</span>
      <span className={classes.fileName} aria-hidden>
        {name || t('kind.document')}
        <small>{fileSize(media.size)}</small>
      </span>
      <IconDownload size={18} />
    </a>
  )
}
