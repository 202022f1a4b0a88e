import type { TFunction } from 'i18next'
import { memo, useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import type { RowNames } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { Row } from './Row'
import { useVisibleRows } from './useVisibleRows'
import classes from './ConversationList.module.css'

type Props = {
  rows: Conversation[]
  open: string | undefined
  selection: ReadonlySet<string>
  names: RowNames
  me: string
  now: number
  t: TFunction
  onSelect: (id: string) => void
  onOpen: (id: string) => void
  onEnter: () => void
  onEnd: () => void
}

/** The height of a row; see Row.module.css. */
const rowHeight = 82

/**
 * Rows renders the visible rows. Scrolling re-renders only this component and the rows that come into view. The space above is
 * padding rather than a transform, which would make the browser repaint all rows.
 */
export const Rows = memo(function Rows({
  rows,
  open,
  selection,
  names,
  me,
  now,
  t,
  onSelect,
  onOpen,
  onEnter,
  onEnd,
}: Props) {
  const scroll = useRef<HTMLDivElement>(null)
  const { first, last, show } = useVisibleRows(scroll, rows.length, rowHeight)
  const drawn = rows.slice(first, last + 1)
  useEffect(() => {
    if (last >= rows.length - 20) onEnd()
  }, [last, rows.length, onEnd])
  const openIndex = useMemo(
    () => (open ? rows.findIndex((one) => one.id === open) : -1),
    [rows, open],
  )
  useEffect(() => {
    if (openIndex >= 0) show(openIndex)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when another conversation is opened
  }, [open])

  const keyDown = (event: KeyboardEvent) => {
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      Home: -rows.length,
      End: rows.length,
    }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next =
        rows[
          Math.min(
            rows.length - 1,
            Math.max(
              0,
              (openIndex < 0 ? (step > 0 ? -1 : 0) : openIndex) + step,
            ),
          )
        ]
      if (next) onOpen(next.id)
    } else if (event.key === 'Enter' && openIndex >= 0) {
      event.preventDefault()
      onEnter()
    }
  }
  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-selecting={selection.size > 0 || undefined}
    >
      <div
        role="listbox"
        aria-label={t('list.conversations')}
        tabIndex={0}
        aria-activedescendant={
          openIndex >= first && openIndex <= last
            ? `row-${open ?? ''}`
            : undefined
        }
        className={classes.list}
        style={{
          height: rows.length * rowHeight,
          paddingTop: first * rowHeight,
        }}
        onKeyDown={keyDown}
      >
        {drawn.map((conversation, at) => (
          <Row
            key={conversation.id}
            conversation={conversation}
            active={conversation.id === open}
            selected={selection.has(conversation.id)}
            personName={names.person(conversation.assignee)}
            sectorName={names.sector(conversation.sector)}
            labelNames={conversation.label_ids
              .map((id) => names.label(id)?.name ?? '')
              .filter(Boolean)
              .join(' · ')}
            me={me}
            now={now}
            t={t}
            index={first + at}
            total={rows.length}
            onOpen={onOpen}
            onHold={onSelect}
          />
        ))}
      </div>
      <div className={classes.checks} style={{ top: first * rowHeight }}>
        {drawn.map(({ id, name }) => (
          <Check
            key={id}
            id={id}
            name={name}
            on={selection.has(id)}
            t={t}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  )
})

type CheckProps = {
  id: string
  name: string
  on: boolean
  t: TFunction
  onSelect: (id: string) => void
}

/** Check selects a row. It is outside the listbox, on top of the avatar. */
const Check = memo(function Check({ id, name, on, t, onSelect }: CheckProps) {
  return (
    <div className={classes.check} data-on={on || undefined}>
      <input
        type="checkbox"
        aria-label={t('list.select', { name })}
        checked={on}
        onChange={() => onSelect(id)}
      />
    </div>
  )
})
