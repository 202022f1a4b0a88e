import {
  DndContext,
  MouseSensor,
  TouchSensor,
  useDraggable,
  useSensor,
  useSensors,
  type DragMoveEvent,
} from '@dnd-kit/core'
import { ActionIcon } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import {
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../ui/announce'
import rows from '../../ui/rows.module.css'
import { shiftOf, targetOf, type Span } from './order'
import classes from './Cases.module.css'

type Item = { id: string; name: string }

const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

/** Sortable is a list whose rows are ordered by dragging their handle, or with the arrow keys on it. */
export function Sortable<T extends Item>({
  label,
  items,
  onMove,
  children,
}: {
  label: string
  items: T[]
  onMove: (item: T, to: number) => void
  children: (item: T) => ReactNode
}) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  const [drag, setDrag] = useState<{
    spans: Span[]
    from: number
    to: number
  } | null>(null)
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, {
      activationConstraint: { delay: 150, tolerance: 8 },
    }),
  )
  const order = items.map((one) => one.id).join()
  // A row that moves down is inserted again and loses the focus.
  const moving = useRef<string | null>(null)
  useLayoutEffect(() => {
    const id = moving.current
    moving.current = null
    if (id && document.activeElement === document.body)
      list.current?.querySelector<HTMLElement>(`[data-handle="${id}"]`)?.focus()
  }, [order])
  const spansOf = () =>
    [...(list.current?.children ?? [])].map((row) => {
      const { top, height } = row.getBoundingClientRect()
      return { top, height }
    })
  const move = (from: number, to: number) => {
    const item = items[from]
    if (!item || to === from || to < 0 || to >= items.length) return
    onMove(item, to)
    announce(
      t('sort.moved', {
        name: item.name,
        position: to + 1,
        total: items.length,
      }),
    )
  }
  const key = (event: KeyboardEvent, at: number) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (by === 0) return
    event.preventDefault()
    moving.current = items[at]?.id ?? null
    move(at, at + by)
  }
  const end = () => {
    if (drag) move(drag.from, drag.to)
    setDrag(null)
  }
  return (
    <DndContext
      sensors={sensors}
      accessibility={{
        announcements: silent,
        screenReaderInstructions: { draggable: '' },
      }}
      onDragStart={({ active }) => {
        const from = items.findIndex((one) => one.id === active.id)
        setDrag({ spans: spansOf(), from, to: from })
      }}
      onDragMove={({ delta }: DragMoveEvent) =>
        setDrag(
          (before) =>
            before && {
              ...before,
              to: targetOf(before.spans, before.from, delta.y),
            },
        )
      }
      onDragEnd={end}
      onDragCancel={() => setDrag(null)}
    >
      <ul ref={list} className={rows.rows} aria-label={label}>
        {items.map((item, at) => (
          <Row
            key={item.id}
            item={item}
            shift={
              drag && at !== drag.from
                ? shiftOf(drag.spans, drag.from, drag.to, at)
                : 0
            }
            alone={items.length < 2}
            onKeyDown={(event) => key(event, at)}
          >
            {children(item)}
          </Row>
        ))}
      </ul>
    </DndContext>
  )
}

function Row({
  item,
  shift,
  alone,
  onKeyDown,
  children,
}: {
  item: Item
  shift: number
  alone: boolean
  onKeyDown: (event: KeyboardEvent) => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { setNodeRef, listeners, transform, isDragging } = useDraggable({
    id: item.id,
    disabled: alone,
  })
  const y = isDragging ? (transform?.y ?? 0) : shift
  return (
    <li
      ref={setNodeRef}
      className={`${rows.row} ${classes.row}`}
      data-dragging={isDragging || undefined}
      style={y ? { transform: `translateY(${y}px)` } : undefined}
    >
      {!alone && (
        <ActionIcon
          {...listeners}
          variant="subtle"
          color="gray"
          size={28}
          className={classes.handle}
          data-handle={item.id}
          aria-label={t('sort.move', { name: item.name })}
          title={t('sort.help')}
          onKeyDown={onKeyDown}
        >
          <IconGripVertical size={16} />
        </ActionIcon>
      )}
      {children}
    </li>
  )
}
