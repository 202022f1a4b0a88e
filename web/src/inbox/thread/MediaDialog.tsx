import { ActionIcon, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../../api/keys'
import type { Message, TimelinePage } from '../../api/types'
import { contentAddress } from '../../api/upload'
import { Dialog } from '../../ui/Dialog'
import classes from './Attached.module.css'

/** MediaDialog shows the images of a conversation one at a time. */
export default function MediaDialog({
  message,
  onClose,
}: {
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const loaded = client
    .getQueriesData<InfiniteData<TimelinePage>>({
      queryKey: keys.timelines(message.conversation),
    })
    .flatMap(([, data]) => data?.pages ?? [])
  const images = loaded
    .flatMap((page) => page.data)
    .flatMap((entry) =>
      entry.kind === 'message' &&
      entry.message.type === 'image' &&
      entry.message.media
        ? [entry.message]
        : [],
    )
    .filter(
      (one, index, all) =>
        all.findIndex((other) => other.id === one.id) === index,
    )
    .reverse()
  const [current, setCurrent] = useState(message)
  const at = images.findIndex((one) => one.id === current.id)
  const go = (step: number) => {
    const next = images[at + step]
    if (next) setCurrent(next)
  }
  return (
    <Dialog
      title={t('media.title')}
      size="xl"
      onClose={onClose}
      onKeyDown={(event) =>
        event.key === 'ArrowLeft'
          ? go(-1)
          : event.key === 'ArrowRight'
            ? go(1)
            : undefined
      }
    >
      <div className={classes.whole}>
        <img
          src={contentAddress(current.media?.id ?? '')}
          alt={current.text ?? current.media?.file_name ?? t('kind.photo')}
        />
      </div>
      <Group justify="space-between" mt="sm">
        <ActionIcon
          variant="default"
          aria-label={t('media.previous')}
          disabled={at <= 0}
          onClick={() => go(-1)}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <span>{current.text}</span>
        <ActionIcon
          variant="default"
          aria-label={t('media.next')}
          disabled={at < 0 || at >= images.length - 1}
          onClick={() => go(1)}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
    </Dialog>
  )
}
