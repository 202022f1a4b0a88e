import {
  DndContext,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useCallback, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Board, Card, CardQuery } from '../api/types'
import { cardTitle } from '../contact/erased'
import { CardFacts } from './CardItem'
import { Column } from './Column'
import { keepFocus } from './keepFocus'
import { useStageCounts } from './useBoard'
import { useBoardActions } from './useBoardActions'
import { others, useDrag, type Lists, type Place } from './useDrag'
import { useKeyboardDrag } from './useKeyboardDrag'
import type { Move } from './useMoves'
import classes from './Board.module.css'
import card from './Card.module.css'

type Props = {
  board: Board
  only: string | undefined
  filters: CardQuery
  mayWrite: boolean
  onMove: (move: Move) => void
  onOpen: (id: string) => void
  onNew: (stage: string) => void
}

const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

/** BoardColumns shows the stages side by side, or one of them on a phone. */
export function BoardColumns({
  board,
  only,
  filters,
  mayWrite,
  onMove,
  onOpen,
  onNew,
}: Props) {
  const { t } = useTranslation()
  const counts = useStageCounts(board.id)
  const shown = useRef(new Map<string, Card[]>())
  const onShown = useCallback(
    (stage: string, cards: Card[]) => void shown.current.set(stage, cards),
    [],
  )
  const lists: Lists = (stage) => shown.current.get(stage) ?? []
  const drop = (moved: Card, place: Place) =>
    onMove({
      card: moved,
      stage: place.stage,
      before: others(lists, place.stage, moved.id)[place.index]?.id ?? null,
    })
  const drag = useDrag(lists, drop)
  const keyboard = useKeyboardDrag(board, lists, (moved, place) => {
    keepFocus(moved.id)
    drop(moved, place)
  })
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, {
      activationConstraint: { delay: 250, tolerance: 8 },
    }),
  )
  const place = drag.place ?? keyboard.held?.place ?? null
  const held = drag.card?.id ?? keyboard.held?.card.id
  const toStage = (moved: Card, stage: string) => {
    keepFocus(moved.id)
    onMove({ card: moved, stage, before: null })
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      accessibility={{
        announcements: silent,
        screenReaderInstructions: { draggable: '' },
      }}
      {...drag.handlers}
    >
      <p id="card-instructions" hidden>
        {t('boards.drag.instructions')}
      </p>
      <div className={classes.columns}>
        {board.stages
          .filter((stage) => !only || stage.id === only)
          .map((stage) => (
            <Column
              key={stage.id}
              board={board}
              stage={stage}
              count={counts.get(stage.id)}
              filters={filters}
              mayWrite={mayWrite}
              drop={place?.stage === stage.id ? place : null}
              held={held}
              onShown={onShown}
              onOpen={onOpen}
              onMove={toStage}
              onNew={onNew}
              onKeyDown={keyboard.onKeyDown}
              onBlur={keyboard.cancel}
            />
          ))}
        {mayWrite && board.system === null && !only && (
          <NewStage board={board} />
        )}
      </div>
      <DragOverlay dropAnimation={null}>
        {drag.card && (
          <div className={`${card.card} ${card.floating}`}>
            <span className={card.title}>{cardTitle(drag.card, t)}</span>
            <CardFacts card={drag.card} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  )
}

/** NewStage adds a stage after the last one. */
function NewStage({ board }: { board: Board }) {
  const { t } = useTranslation()
  const { change } = useBoardActions()
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const add = async () => {
    const params = {
      path: { id: board.id },
      header: { 'Idempotency-Key': crypto.randomUUID() },
    }
    if (
      await change(
        () =>
          unwrap(
            api.POST('/kanban/boards/{id}/stages', {
              params,
              body: { name: name.trim(), kind: 'open' },
            }),
          ),
        t('boards.stage.added'),
      )
    ) {
      setName('')
      setOpen(false)
    }
  }
  if (!open)
    return (
      <Button
        className={classes.newStage}
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<IconPlus size={16} />}
        onClick={() => setOpen(true)}
      >
        {t('boards.stage.add')}
      </Button>
    )
  return (
    <form
      className={classes.stageForm}
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <TextInput
        autoFocus
        size="xs"
        aria-label={t('boards.stage.name')}
        placeholder={t('boards.stage.name')}
        maxLength={120}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      />
      <div className={classes.formButtons}>
        <Button type="submit" size="xs" disabled={!name.trim()}>
          {t('boards.stage.add')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setOpen(false)}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  )
}
