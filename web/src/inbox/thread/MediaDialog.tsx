import { ActionIcon } from '@mantine/core'
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconPlayerPlayFilled,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react'
import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type { Conversation, Message, TimelinePage } from '../../api/types'
import { contentAddress } from '../../api/upload'
import { Dialog } from '../../ui/Dialog'
import { dateAndTime } from '../../ui/format'
import { RichText } from '../../ui/RichText'
import { senderOf } from './sender'
import { useZoom } from './useZoom'
import classes from './MediaDialog.module.css'

/** The viewer shows this many thumbnails on each side. */
const nearby = 12

/** useMedia returns the loaded images and videos of a conversation, oldest first. */
function useMedia(message: Message): Message[] {
  const client = useQueryClient()
  const found = new Map<string, Message>()
  if (message.type === 'sticker') return [message]
  for (const [, data] of client.getQueriesData<InfiniteData<TimelinePage>>({
    queryKey: keys.timelines(message.conversation),
  }))
    for (const entry of data?.pages.flatMap((page) => page.data) ?? [])
      if (
        entry.kind === 'message' &&
        entry.message.media &&
        (entry.message.type === 'image' || entry.message.type === 'video')
      )
        found.set(entry.id, entry.message)
  return [...found.values()].sort((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0,
  )
}

/** MediaDialog shows the images and videos of a conversation one at a time, over the whole page. */
export default function MediaDialog({
  message,
  onClose,
}: {
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe().user.id
  const all = useMedia(message)
  const [current, setCurrent] = useState(message)
  const { view, zoom, reset, handlers } = useZoom()
  const at = all.findIndex((one) => one.id === current.id)
  const show = (next: Message | undefined) => {
    if (!next) return
    reset()
    setCurrent(next)
  }
  const customer =
    client.getQueryData<Conversation>(keys.conversation(message.conversation))
      ?.name ?? ''
  const name = current.media?.file_name ?? ''
  const address = contentAddress(current.media?.id ?? '')
  const video = current.type === 'video'
  const key = (event: React.KeyboardEvent) => {
    const act = {
      ArrowLeft: () => show(all[at - 1]),
      ArrowRight: () => show(all[at + 1]),
      '+': () => zoom(1.5),
      '=': () => zoom(1.5),
      '-': () => zoom(1 / 1.5),
      '0': reset,
    }[event.key]
    if (!act || event.target instanceof HTMLVideoElement) return
    event.preventDefault()
    act()
  }
  return (
    <Dialog
      title={t('media.title')}
      fullScreen
      onClose={onClose}
      classNames={{
        content: classes.content,
        header: classes.header,
        title: 'visually-hidden',
        body: classes.body,
      }}
      onKeyDown={key}
    >
      <div className={classes.bar}>
        <p className={classes.who}>
          <strong>{senderOf(current, customer, me, t)}</strong>
          <span>{dateAndTime(current.created_at)}</span>
        </p>
        {!video && (
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('viewer.zoomOut')}
              disabled={view.scale <= 1}
              onClick={() => zoom(1 / 1.5)}
            >
              <IconZoomOut size={20} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('viewer.zoomIn')}
              onClick={() => zoom(1.5)}
            >
              <IconZoomIn size={20} />
            </ActionIcon>
          </>
        )}
        <ActionIcon
          component="a"
          variant="subtle"
          color="gray"
          size={36}
          href={address}
          download={name || true}
          aria-label={t('viewer.download')}
        >
          <IconDownload size={20} />
        </ActionIcon>
      </div>
      <div className={classes.middle}>
        {video ? (
          <video
            key={current.id}
            className={classes.video}
            src={address}
            controls
            autoPlay
            aria-label={name || t('kind.video')}
          />
        ) : (
          <div
            className={classes.stage}
            data-zoomed={view.scale > 1 || undefined}
            {...handlers}
          >
            <img
              key={current.id}
              src={address}
              alt={current.text || name || t('kind.photo')}
              draggable={false}
              style={{
                transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
              }}
            />
          </div>
        )}
        <ActionIcon
          className={classes.previous}
          variant="default"
          radius="xl"
          size={44}
          aria-label={t('media.previous')}
          disabled={at <= 0}
          onClick={() => show(all[at - 1])}
        >
          <IconChevronLeft size={22} />
        </ActionIcon>
        <ActionIcon
          className={classes.next}
          variant="default"
          radius="xl"
          size={44}
          aria-label={t('media.next')}
          disabled={at < 0 || at >= all.length - 1}
          onClick={() => show(all[at + 1])}
        >
          <IconChevronRight size={22} />
        </ActionIcon>
      </div>
      {current.text && (
        <p className={classes.caption}>
          <RichText text={current.text} />
        </p>
      )}
      {all.length > 1 && <Thumbnails all={all} at={at} onShow={show} />}
    </Dialog>
  )
}

/** Thumbnails are the neighbours of the shown picture. */
function Thumbnails({
  all,
  at,
  onShow,
}: {
  all: Message[]
  at: number
  onShow: (message: Message) => void
}) {
  const { t } = useTranslation()
  const from = Math.max(0, at - nearby)
  return (
    <div
      className={classes.thumbnails}
      role="group"
      aria-label={t('viewer.items')}
    >
      {all.slice(from, at + nearby + 1).map((one, index) => (
        <button
          key={one.id}
          type="button"
          ref={(button) => {
            if (from + index === at)
              button?.scrollIntoView({ inline: 'center', block: 'nearest' })
          }}
          aria-label={t('viewer.item', {
            n: from + index + 1,
            count: all.length,
          })}
          aria-current={from + index === at || undefined}
          onClick={() => onShow(one)}
        >
          {one.type === 'video' ? (
            <IconPlayerPlayFilled size={18} aria-hidden />
          ) : (
            <img
              src={contentAddress(one.media?.id ?? '')}
              alt=""
              loading="lazy"
              decoding="async"
            />
          )}
        </button>
      ))}
    </div>
  )
}
