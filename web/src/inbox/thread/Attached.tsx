import {
  IconDownload,
  IconFile,
  IconInfoCircle,
  IconPhone,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { contentAddress } from '../../api/upload'
import type { Media, Message } from '../../api/types'
import { noticeText } from '../../contact/notice'
import { fileSize } from '../../ui/format'
import { ContactCards } from './ContactCards'
import { Picture } from './Picture'
import { pictureSize } from './pictureSize'
import { Place } from './Place'
import { Voice } from './Voice'
import classes from './Attached.module.css'

/** Attached shows a message's media, location or contacts. */
export function Attached({ message }: { message: Message }) {
  const { t } = useTranslation()
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
  if (type === 'location') return <Place text={message.text ?? ''} />
  if (type === 'contacts') return <ContactCards message={message} />
  if (!media)
    return type === 'text' || type === 'interactive' ? null : (
      <p className={classes.other}>{t('media.missing')}</p>
    )
  if (type === 'image' || type === 'video' || type === 'sticker')
    return (
      <Picture
        message={message}
        media={media}
        size={
          type === 'sticker' ? { width: 140, height: 140 } : pictureSize(media)
        }
      />
    )
  if (type === 'audio') return <Voice message={message} media={media} />
  return <FileLink media={media} />
}

/** FileLink downloads a document. */
function FileLink({ media }: { media: Media }) {
  const { t } = useTranslation()
  const name = media.file_name || t('kind.document')
  const label = t('media.download', { file: name, size: fileSize(media.size) })
  return (
    <a
      className={classes.file}
      href={contentAddress(media.id)}
      download={media.file_name || true}
    >
      <IconFile size={22} />
      <span className="visually-hidden">{label}</span>
      <span className={classes.fileName} aria-hidden>
        {name}
        <small>{fileSize(media.size)}</small>
      </span>
      <IconDownload size={18} />
    </a>
  )
}
