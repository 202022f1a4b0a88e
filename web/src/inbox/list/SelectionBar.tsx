import { ActionIcon, Button, Menu, Progress } from '@mantine/core'
import {
  IconArchive,
  IconArrowForwardUp,
  IconCheck,
  IconClockPause,
  IconMail,
  IconMailOpened,
  IconTag,
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
}

/** SelectionBar is the toolbar of bulk actions. */
export function SelectionBar({ selection, setSelection, rows, query }: Props) {
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
    setSelection(new Set())
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
  const button = (label: string, icon: ReactNode, onClick: () => void) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      title={label}
      disabled={progress !== null}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <div role="toolbar" aria-label={title} className={classes.bar}>
      <div className={classes.top}>
        <strong>{title}</strong>
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => void selectAll()}
        >
          {t('selection.all')}
        </Button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('selection.clear')}
          title={t('selection.clear')}
          onClick={() => setSelection(new Set())}
        >
          <IconX size={16} />
        </ActionIcon>
      </div>
      <div className={classes.buttons}>
        {button(
          t('selection.take'),
          <IconUserCheck size={18} />,
          () => void run({ action: 'take' }),
        )}
        {button(
          t('conversation.transfer'),
          <IconArrowForwardUp size={18} />,
          () => setDialog('transfer'),
        )}
        <Menu>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('selection.labels')}
              title={t('selection.labels')}
              id="selection-labels"
            >
              <IconTag size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {labels.map((label) => (
              <Menu.Item
                key={label.id}
                onClick={() => void run({ action: 'label', add: [label.id] })}
              >
                {label.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        {button(
          t('selection.read'),
          <IconMailOpened size={18} />,
          () => void run({ action: 'read' }),
        )}
        {button(
          t('selection.unread'),
          <IconMail size={18} />,
          () => void run({ action: 'unread' }),
        )}
        {button(t('conversation.snooze'), <IconClockPause size={18} />, () =>
          setDialog('snooze'),
        )}
        {button(
          t('conversation.archive'),
          <IconArchive size={18} />,
          () => void run({ action: 'archive' }),
        )}
        {button(t('common.close'), <IconCheck size={18} />, () =>
          setDialog('close'),
        )}
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
          onSubmit={(reason) =>
            run(reason ? { action: 'close', reason } : { action: 'close' })
          }
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
