import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconDots,
  IconDownload,
  IconLayoutKanban,
  IconPencil,
  IconPlus,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Board } from '../api/types'
import { ActionMenu } from '../ui/ActionMenu'
import type { MenuAction } from '../ui/MenuBox'
import { Dialog } from '../ui/Dialog'
import { usePhone } from '../ui/usePhone'
import { ArchivedBoards } from './ArchivedBoards'
import { ArchivedCards } from './ArchivedCards'
import { useBoardNames } from './useBoard'
import { useBoardActions } from './useBoardActions'
import classes from './Board.module.css'

type Props = {
  board: Board
  mayWrite: boolean
  onSave: () => void
  onOpen: (id: string) => void
  onNew: () => void
}

/** BoardMenu is the menu of a board. On a phone it also creates boards. */
export function BoardMenu({ board, mayWrite, onSave, onOpen, onNew }: Props) {
  const { t } = useTranslation()
  const phone = usePhone()
  const [dialog, setDialog] = useState<
    'rename' | 'archive' | 'cards' | 'boards' | null
  >(null)
  const close = () => setDialog(null)
  const actions: MenuAction[] = [
    ...(mayWrite && phone
      ? [
          {
            key: 'new',
            label: t('boards.new'),
            icon: <IconPlus size={16} />,
            onClick: onNew,
          },
        ]
      : []),
    ...(mayWrite
      ? [
          {
            key: 'rename',
            label: t('boards.renameBoard'),
            icon: <IconPencil size={16} />,
            onClick: () => setDialog('rename'),
          },
        ]
      : []),
    {
      key: 'csv',
      label: t('boards.download'),
      icon: <IconDownload size={16} />,
      onClick: onSave,
    },
    {
      key: 'cards',
      label: t('boards.archivedCards'),
      icon: <IconArchive size={16} />,
      onClick: () => setDialog('cards'),
    },
    ...(mayWrite && board.system === null
      ? [
          {
            key: 'archive',
            label: t('boards.archiveBoard'),
            icon: <IconArchiveOff size={16} />,
            onClick: () => setDialog('archive'),
          },
        ]
      : []),
    {
      key: 'boards',
      label: t('boards.archivedBoards'),
      icon: <IconLayoutKanban size={16} />,
      onClick: () => setDialog('boards'),
    },
  ]
  return (
    <>
      <ActionMenu
        actions={actions}
        button={
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('boards.actions')}
            title={t('boards.actions')}
          >
            <IconDots size={18} />
          </ActionIcon>
        }
      />
      {dialog === 'rename' && <RenameBoard board={board} onClose={close} />}
      {dialog === 'archive' && <ArchiveBoard board={board} onClose={close} />}
      {dialog === 'cards' && (
        <ArchivedCards board={board} mayWrite={mayWrite} onClose={close} />
      )}
      {dialog === 'boards' && (
        <ArchivedBoards
          mayWrite={mayWrite}
          onClose={close}
          onRestored={(id) => {
            close()
            onOpen(id)
          }}
        />
      )}
    </>
  )
}

function RenameBoard({
  board,
  onClose,
}: {
  board: Board
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { change } = useBoardActions()
  const names = useBoardNames()
  const [name, setName] = useState(names.board(board))
  const save = async () => {
    if (
      await change(() =>
        unwrap(
          api.PATCH('/kanban/boards/{id}', {
            params: { path: { id: board.id } },
            body: { name: name.trim() },
          }),
        ),
      )
    )
      onClose()
  }
  return (
    <Dialog title={t('boards.renameBoard')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('details.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!name.trim()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function ArchiveBoard({
  board,
  onClose,
}: {
  board: Board
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { change } = useBoardActions()
  const archive = async () => {
    onClose()
    await change(
      () =>
        unwrap(
          api.PATCH('/kanban/boards/{id}', {
            params: { path: { id: board.id } },
            body: { archived: true },
          }),
        ),
      t('boards.boardArchived'),
    )
  }
  return (
    <Dialog
      role="alertdialog"
      title={t('boards.archiveTitle')}
      onClose={onClose}
    >
      <Stack gap="md">
        <p className={classes.text}>
          {t('boards.archiveText', { name: board.name })}
        </p>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button onClick={() => void archive()}>
            {t('boards.archiveBoard')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
