import type { TFunction } from 'i18next'
import { memo, useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import type { Names } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { Row } from './Row'
import { useVisibleRows } from './useVisibleRows'
import classes from './ConversationList.module.css'

type Props = {
  rows: Conversation[]
  open: string | undefined
  gone: string | undefined
  selecting: boolean
  /** Whether a click on a row selects it instead of opening it. */
  rowsSelect: boolean
  selection: ReadonlySet<string>
  names: Names
  numbers: boolean
  me: string
  now: number
  t: TFunction
  /** inline rows are part of a longer page and do not scroll by themselves. */
  inline?: boolean
  onSelect: (id: string) => void
  onOpen: (id: string) => void
  onMove: (id: string) => void
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
  gone,
  selecting,
  rowsSelect,
  selection,
  names,
  numbers,
  me,
  now,
  t,
  inline = false,
  onSelect,
  onOpen,
  onMove,
  onEnter,
  onEnd,
}: Props) {
  const scroll = useRef<HTMLDivElement>(null)
  const { first, last, width, show } = useVisibleRows(
    scroll,
    rows.length,
    rowHeight,
  )
  const drawn = rows.slice(first, last + 1)
  useEffect(() => {
    if (last >= rows.length - 20) onEnd()
  }, [last, rows.length, onEnd])
  const openIndex = useMemo(
    () => (open ? rows.findIndex((one) => one.id === open) : -1),
    [rows, open],
  )
  useEffect(() => {
    if (openIndex < 0) return
    if (inline)
      document
        .getElementById(`row-${open ?? ''}`)
        ?.scrollIntoView({ block: 'nearest' })
    else show(openIndex)
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
      const at = (openIndex < 0 ? (step > 0 ? -1 : 0) : openIndex) + step
      const next = rows[Math.min(rows.length - 1, Math.max(0, at))]
      if (inline && next?.id === open) return // the page goes on to its next result
      event.preventDefault()
      if (next) onMove(next.id)
    } else if (event.key === 'Enter' && openIndex >= 0) {
      event.preventDefault()
      onEnter()
    }
  }
  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-selecting={selecting || undefined}
      data-inline={inline || undefined}
    >
      <div
        role="listbox"
        aria-label={t('list.conversations')}
        tabIndex={0}
        data-stop
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
            gone={conversation.id === gone}
            names={names}
            numbers={numbers}
            width={width}
            me={me}
            now={now}
            t={t}
            index={first + at}
            total={rows.length}
            onOpen={rowsSelect ? onSelect : onOpen}
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
