import { IconPlayerPlayFilled } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { contentAddress } from '../../api/upload'
import type { Media, Message } from '../../api/types'
import { position } from '../../ui/format'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import classes from './Picture.module.css'

const MediaDialog = part(() =>
  withTexts('talk', import('./MediaDialog')).then((loaded) => loaded.default),
)

type Props = {
  message: Message
  media: Media
  /** The reserved size. Without it, the picture fills its parent. */
  size?: { width: number; height: number }
  /** The number of further pictures, which the viewer shows. */
  more?: number
}

/** Picture is an image, a sticker or the first frame of a video, which opens the viewer. Its space is reserved before it loads. */
export function Picture({ message, media, size, more = 0 }: Props) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const [seconds, setSeconds] = useState(media.duration_seconds)
  const address = contentAddress(media.id)
  const video = message.type === 'video'
  const file = media.file_name
  const label = video
    ? file
      ? t('media.openVideoNamed', { file })
      : t('media.openVideo')
    : file
      ? t('media.openNamed', { file })
      : t('media.open')
  return (
    <>
      <button
        type="button"
        className={classes.picture}
        data-sticker={message.type === 'sticker' || undefined}
        style={
          size && {
            width: size.width,
            aspectRatio: `${size.width} / ${size.height}`,
          }
        }
        aria-label={more > 0 ? `${label}, +${more}` : label}
        onClick={() => setOpen(true)}
      >
        {video ? (
          <>
            <video
              src={`${address}#t=0.1`}
              preload="metadata"
              muted
              playsInline
              tabIndex={-1}
              aria-hidden
              onLoadedMetadata={({ currentTarget: { duration } }) =>
                Number.isFinite(duration) && setSeconds(duration)
              }
            />
            <span className={classes.play} aria-hidden>
              <IconPlayerPlayFilled size={22} />
            </span>
            {more === 0 && seconds ? (
              <span className={classes.length} aria-hidden>
                {position(seconds)}
              </span>
            ) : null}
          </>
        ) : (
          <img src={address} alt="" loading="lazy" decoding="async" />
        )}
        {more > 0 && <span className={classes.more}>+{more}</span>}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MediaDialog message={message} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
