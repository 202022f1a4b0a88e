import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconCircleCheck,
  IconCircleX,
  IconDots,
  IconPencil,
  IconProgress,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Board, Stage } from '../api/types'
import { ActionMenu } from '../ui/ActionMenu'
import type { MenuAction } from '../ui/MenuBox'
import { Dialog } from '../ui/Dialog'
import { useBoardActions } from './useBoardActions'
import classes from './Board.module.css'

const kinds = { open: IconProgress, won: IconCircleCheck, lost: IconCircleX }

type Props = {
  board: Board
  stage: Stage
  name: string
  size: string
  mayWrite: boolean
}

/** StageHeader shows a stage's name and edits the stage in place. The stages of the Cases board are fixed. */
export function StageHeader({ board, stage, name, size, mayWrite }: Props) {
  const { t } = useTranslation()
  const { change } = useBoardActions()
  const [renaming, setRenaming] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const params = { path: { id: board.id, stage_id: stage.id } }
  const patch = (body: {
    name?: string
    position?: number
    kind?: Stage['kind']
  }) =>
    change(() =>
      unwrap(
        api.PATCH('/kanban/boards/{id}/stages/{stage_id}', { params, body }),
      ),
    )
  const Kind = kinds[stage.kind]
  const others = (['open', 'won', 'lost'] as const).filter(
    (kind) => kind !== stage.kind,
  )
  const actions: MenuAction[] = [
    {
      key: 'rename',
      label: t('boards.rename'),
      icon: <IconPencil size={16} />,
      onClick: () => setRenaming(true),
    },
    ...(stage.position > 0
      ? [
          {
            key: 'left',
            label: t('boards.stage.left'),
            icon: <IconArrowLeft size={16} />,
            onClick: () => void patch({ position: stage.position - 1 }),
          },
        ]
      : []),
    ...(stage.position < board.stages.length - 1
      ? [
          {
            key: 'right',
            label: t('boards.stage.right'),
            icon: <IconArrowRight size={16} />,
            onClick: () => void patch({ position: stage.position + 1 }),
          },
        ]
      : []),
    ...others.map((kind) => {
      const Icon = kinds[kind]
      return {
        key: kind,
        label: t(`boards.kind.${kind}`),
        icon: <Icon size={16} />,
        onClick: () => void patch({ kind }),
      }
    }),
    {
      key: 'delete',
      label: t('boards.stage.delete'),
      icon: <IconTrash size={16} />,
      onClick: () => setDeleting(true),
    },
  ]
  return (
    <header className={classes.stage}>
      <Kind
        size={16}
        stroke={1.8}
        aria-hidden
        className={classes.kind}
        data-kind={stage.kind}
      />
      {renaming ? (
        <Rename
          value={stage.name}
          label={t('boards.stage.name')}
          onDone={(next) => {
            setRenaming(false)
            if (next && next !== stage.name) void patch({ name: next })
          }}
        />
      ) : (
        <h2 className={classes.stageName}>{name}</h2>
      )}
      <span aria-hidden className={classes.count}>
        {size}
      </span>
      {mayWrite && board.system === null && (
        <ActionMenu
          actions={actions}
          button={
            <ActionIcon
              variant="subtle"
              color="gray"
              size={28}
              aria-label={t('boards.stage.actions', { stage: name })}
            >
              <IconDots size={16} />
            </ActionIcon>
          }
        />
      )}
      {deleting && (
        <Dialog
          role="alertdialog"
          title={t('boards.stage.deleteTitle')}
          onClose={() => setDeleting(false)}
        >
          <Stack gap="md">
            <p className={classes.text}>
              {t('boards.stage.deleteText', { stage: name })}
            </p>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setDeleting(false)}>
                {t('common.cancel')}
              </Button>
              <Button
                color="red"
                onClick={() => {
                  setDeleting(false)
                  void change(
                    () =>
                      unwrap(
                        api.DELETE('/kanban/boards/{id}/stages/{stage_id}', {
                          params,
                        }),
                      ),
                    t('boards.stage.deleted'),
                  )
                }}
              >
                {t('boards.stage.delete')}
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </header>
  )
}

/** Rename edits a name in place: Enter or blur saves, Escape cancels. */
function Rename({
  value,
  label,
  onDone,
}: {
  value: string
  label: string
  onDone: (next: string | null) => void
}) {
  const [text, setText] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => box.current?.focus(), 60) // the menu first returns the focus to its button
    return () => clearTimeout(timer)
  }, [])
  return (
    <TextInput
      ref={box}
      className={classes.rename}
      size="xs"
      aria-label={label}
      maxLength={120}
      value={text}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => onDone(text.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') onDone(null)
      }}
    />
  )
}
