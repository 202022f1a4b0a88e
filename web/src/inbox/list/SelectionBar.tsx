import { ActionIcon, Menu, Progress } from '@mantine/core'
import {
  IconArchive,
  IconArrowForwardUp,
  IconCheck,
  IconClockPause,
  IconDots,
  IconMail,
  IconMailOpened,
  IconUserCheck,
  IconX,
} from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { useLabels } from '../../api/queries'
import type {
  BulkAction,
  Conversation,
  ConversationQuery,
} from '../../api/types'
import { LabelTag } from '../../ui/LabelTag'
import { PlainButton } from '../../ui/plain'
import { useActions } from '../actions'
import { CloseDialog } from '../../contact/CloseDialog'
import { SnoozeDialog } from '../SnoozeDialog'
import { TransferDialog } from '../details/TransferDialog'
import classes from './SelectionBar.module.css'

type Props = {
  selection: ReadonlySet<string>
  setSelection: (ids: ReadonlySet<string>) => void
  rows: Conversation[]
  query: ConversationQuery
  onEnd: () => void
}

/** SelectionBar is the toolbar of bulk actions. */
export function SelectionBar({
  selection,
  setSelection,
  rows,
  query,
  onEnd,
}: Props) {
  const { t } = useTranslation()
  const actions = useActions()
  const labels = useLabels().data ?? []
  const [dialog, setDialog] = useState<'transfer' | 'close' | 'snooze' | null>(
    null,
  )
  const [progress, setProgress] = useState<number | null>(null)
  const title = t('selection.title', { count: selection.size })

  const run = async (action: BulkAction) => {
    const ids = [...selection]
    setDialog(null)
    setProgress(0)
    await actions.bulk(ids, action, (done) =>
      setProgress((100 * done) / ids.length),
    )
    setProgress(null)
    onEnd()
    return true
  }
  const selectAll = () =>
    actions.attempt(async () => {
      const ids = new Set(rows.map((one) => one.id))
      setProgress(0)
      let cursor: string | null | undefined
      do {
        const page = await unwrap(
          api.GET('/conversations', {
            params: {
              query: { ...query, limit: 100, ...(cursor ? { cursor } : {}) },
            },
          }),
        )
        page.data.forEach((one) => ids.add(one.id))
        cursor = page.next_cursor
        setProgress((before) => Math.min(95, (before ?? 0) + 10))
      } while (cursor)
      setProgress(null)
      setSelection(ids)
    })
  const busy = progress !== null || selection.size === 0
  const button = (label: string, icon: ReactNode, onClick: () => void) => (
    <PlainButton look="default" size="xs" disabled={busy} onClick={onClick}>
      {icon}
      {label}
    </PlainButton>
  )
  return (
    <div role="toolbar" aria-label={title} className={classes.bar}>
      <div className={classes.top}>
        <strong>{title}</strong>
        <PlainButton
          look="subtle"
          size="compact"
          disabled={progress !== null}
          onClick={() => void selectAll()}
        >
          {t('selection.all')}
        </PlainButton>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('selection.clear')}
          title={t('selection.clear')}
          onClick={onEnd}
        >
          <IconX size={16} />
        </ActionIcon>
      </div>
      <div className={classes.buttons}>
        {button(
          t('selection.take'),
          <IconUserCheck size={15} />,
          () => void run({ action: 'take' }),
        )}
        {button(
          t('conversation.transfer'),
          <IconArrowForwardUp size={15} />,
          () => setDialog('transfer'),
        )}
        {button(t('common.close'), <IconCheck size={15} />, () =>
          setDialog('close'),
        )}
        {button(
          t('selection.read'),
          <IconMailOpened size={15} />,
          () => void run({ action: 'read' }),
        )}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <PlainButton look="default" size="xs" disabled={busy}>
              <IconDots size={15} />
              {t('shell.more')}
            </PlainButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconMail size={16} />}
              onClick={() => void run({ action: 'unread' })}
            >
              {t('selection.unread')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconClockPause size={16} />}
              onClick={() => setDialog('snooze')}
            >
              {t('conversation.snooze')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArchive size={16} />}
              onClick={() => void run({ action: 'archive' })}
            >
              {t('conversation.archive')}
            </Menu.Item>
            {labels.length > 0 && (
              <>
                <Menu.Label>{t('selection.labels')}</Menu.Label>
                {labels.map((label) => (
                  <Menu.Item
                    key={label.id}
                    onClick={() =>
                      void run({ action: 'label', add: [label.id] })
                    }
                  >
                    <LabelTag label={label} />
                  </Menu.Item>
                ))}
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </div>
      {progress !== null && (
        <Progress value={progress} size="xs" aria-label={title} />
      )}
      {dialog === 'transfer' && (
        <TransferDialog
          onClose={() => setDialog(null)}
          onTransfer={(body) => run({ action: 'transfer', ...body })}
        />
      )}
      {dialog === 'close' && (
        <CloseDialog
          onClose={() => setDialog(null)}
          sectors={[...selection].map(
            (id) => rows.find((one) => one.id === id)?.sector,
          )}
          onSubmit={(closing) => run({ action: 'close', ...closing })}
        />
      )}
      {dialog === 'snooze' && (
        <SnoozeDialog
          onClose={() => setDialog(null)}
          onSnooze={(until) => run({ action: 'snooze', until })}
        />
      )}
    </div>
  )
}
