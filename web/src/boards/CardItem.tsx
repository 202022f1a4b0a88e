import { useDraggable } from '@dnd-kit/core'
import { ActionIcon } from '@mantine/core'
import {
  IconArrowRight,
  IconCalendarDue,
  IconDots,
  IconFlag3Filled,
  IconLock,
  IconMessageCircle,
} from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNames } from '../api/queries'
import type { Board, Card } from '../api/types'
import { cardTitle } from '../contact/erased'
import { ActionMenu } from '../ui/ActionMenu'
import { Avatar } from '../ui/Avatar'
import { dueText, dueTone } from './due'
import { LabelTag } from '../ui/LabelTag'
import { useBoardNames } from './useBoard'
import classes from './Card.module.css'

type Props = {
  card: Card
  board: Board
  movable: boolean
  held: boolean
  onOpen: (id: string) => void
  onMove: (card: Card, stage: string) => void
  onKeyDown: (event: KeyboardEvent, card: Card) => void
  onBlur: () => void
}

/** CardItem is a card in a column: a draggable button that opens it, and a "Move to..." menu. */
export function CardItem({
  card,
  board,
  movable,
  held,
  onOpen,
  onMove,
  onKeyDown,
  onBlur,
}: Props) {
  const { t } = useTranslation()
  const names = useBoardNames()
  const { setNodeRef, listeners, isDragging } = useDraggable({
    id: card.id,
    data: { card },
    disabled: !movable,
  })
  return (
    <li
      className={classes.item}
      data-card={card.id}
      data-dragging={isDragging || undefined}
      data-held={held || undefined}
    >
      <button
        ref={setNodeRef}
        type="button"
        className={classes.card}
        aria-describedby={movable ? 'card-instructions' : undefined}
        aria-pressed={held || undefined}
        {...listeners}
        onClick={() => !held && onOpen(card.id)}
        onKeyDown={movable ? (event) => onKeyDown(event, card) : undefined}
        onBlur={held ? onBlur : undefined}
      >
        <span className={classes.title}>{cardTitle(card, t)}</span>
        <CardFacts card={card} />
      </button>
      {movable && (
        <ActionMenu
          title={t('boards.moveTo')}
          actions={board.stages
            .filter((one) => one.id !== card.stage_id)
            .map((stage) => ({
              key: stage.id,
              label: names.stage(board, stage),
              icon: <IconArrowRight size={14} />,
              onClick: () => onMove(card, stage.id),
            }))}
          button={
            <ActionIcon
              className={classes.move}
              variant="subtle"
              color="gray"
              size={28}
              aria-label={t('boards.moveTo')}
              title={t('boards.moveTo')}
            >
              <IconDots size={16} />
            </ActionIcon>
          }
        />
      )}
    </li>
  )
}

/** CardFacts shows the facts below a card's title. They are not part of the button's name; the dialog has them all. */
export function CardFacts({ card }: { card: Card }) {
  const { t } = useTranslation()
  const names = useNames()
  const person = names.person(card.assignee)
  const labels = card.label_ids
    .map((id) => names.label(id))
    .filter((one) => one !== undefined)
  const urgent = card.priority === 'urgent' || card.priority === 'high'
  if (
    labels.length === 0 &&
    !card.due_at &&
    !person &&
    !urgent &&
    !card.private &&
    (!card.conversation || card.attendance)
  )
    return null
  return (
    <span aria-hidden className={classes.facts}>
      {labels.length > 0 && (
        <span className={classes.labels}>
          {labels.map((one) => (
            <LabelTag key={one.id} label={one} />
          ))}
        </span>
      )}
      <span className={classes.line}>
        {urgent && (
          <span
            className={classes.fact}
            data-tone={card.priority === 'urgent' ? 'red' : 'amber'}
          >
            <IconFlag3Filled size={13} />
            {t(`boards.priority.${card.priority}`)}
          </span>
        )}
        {card.due_at && (
          <span className={classes.fact} data-tone={dueTone(card)}>
            <IconCalendarDue size={14} stroke={1.8} />
            {dueText(card.due_at)}
          </span>
        )}
        {card.private && <IconLock size={14} />}
        {card.conversation && !card.attendance && (
          <IconMessageCircle size={14} stroke={1.8} />
        )}
        {person && card.assignee && (
          <span className={classes.person} title={person}>
            <Avatar id={card.assignee} name={person} size={22} />
          </span>
        )}
      </span>
    </span>
  )
}
