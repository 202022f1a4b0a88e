import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe, useRowNames } from '../api/queries'
import type { Conversation } from '../api/types'
import { useHeld } from './useHeld'
import { Row } from './Row'
import classes from './ConversationList.module.css'

type Props = {
  rows: Conversation[]
  list: string
  open: string | undefined
  selection: ReadonlySet<string>
  onSelect: (id: string) => void
  onOpen: (id: string) => void
  onEnter: () => void
  onEnd: () => void
  onShown: (rows: Conversation[]) => void
}

const rowHeight = 82
const estimateSize = () => rowHeight

/** ConversationList is the virtual list; its order stays while the pointer or the focus is in it. */
export const ConversationList = memo(function ConversationList({ rows: now, list, open, selection, onSelect, onOpen, onEnter, onEnd, onShown }: Props) {
  const { t } = useTranslation()
  const names = useRowNames()
  const me = useMe().user.id
  const scroll = useRef<HTMLDivElement>(null)
  const getScrollElement = useCallback(() => scroll.current, [])
  const [inside, setInside] = useState(false)
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const places = useRef({ pointer: false, focus: false })
  const { rows, updates, apply } = useHeld(now, inside, list)

  const place = (change: Partial<typeof places.current>) => {
    Object.assign(places.current, change)
    clearTimeout(leaving.current)
    if (places.current.pointer || places.current.focus) setInside(true)
    else leaving.current = setTimeout(() => setInside(false), 2000)
  }
  useEffect(() => () => clearTimeout(leaving.current), [])
  /** The button goes and takes the focus with it: to the list for the keyboard, nowhere for the mouse. */
  const applyNow = (event: MouseEvent) => {
    apply()
    if (event.detail === 0) scroll.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus()
    else place({ focus: false })
  }
  useEffect(() => onShown(rows), [rows, onShown])

  // All rows have one height: places go by index and are not worked out again when the order changes.
  const virtual = useVirtualizer({ count: rows.length, getScrollElement, estimateSize, overscan: 4 })
  // A page that was on its way while a conversation moved may have it a second time for a moment.
  const items = virtual.getVirtualItems().filter((item, at, all) => all.findIndex((one) => rows[one.index]?.id === rows[item.index]?.id) === at)
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - 20) onEnd()
  }, [last, rows.length, onEnd])
  const openIndex = useMemo(() => (open ? rows.findIndex((one) => one.id === open) : -1), [rows, open])
  useEffect(() => {
    if (openIndex >= 0) virtual.scrollToIndex(openIndex, { align: 'auto' })
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when another conversation is opened
  }, [open])

  const keyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = rows[Math.min(rows.length - 1, Math.max(0, (openIndex < 0 ? (step > 0 ? -1 : 0) : openIndex) + step))]
      if (next) onOpen(next.id)
    } else if (event.key === 'Enter' && openIndex >= 0) {
      event.preventDefault()
      onEnter()
    }
  }
  return (
    <div
      className={classes.frame}
      onPointerEnter={(event) => event.pointerType === 'mouse' && place({ pointer: true })}
      onPointerLeave={() => place({ pointer: false })}
      onFocus={() => place({ focus: true })}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && place({ focus: false })}
    >
      {updates > 0 && (
        <button type="button" className={classes.updates} onClick={applyNow}>
          {t('list.updates', { count: updates })}
        </button>
      )}
      <div ref={scroll} className={classes.scroll} data-selecting={selection.size > 0 || undefined}>
        <div
          role="listbox"
          aria-label={t('list.conversations')}
          tabIndex={0}
          aria-activedescendant={items.some((item) => item.index === openIndex) ? `row-${open ?? ''}` : undefined}
          className={classes.list}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={keyDown}
        >
          {items.map((item) => {
            const conversation = rows[item.index]
            if (!conversation) return null
            return (
              <div key={conversation.id} role="presentation" className={classes.item} style={{ transform: `translateY(${item.start}px)` }}>
                <Row
                  conversation={conversation}
                  active={conversation.id === open}
                  selected={selection.has(conversation.id)}
                  personName={names.person(conversation.assignee)}
                  sectorName={names.sector(conversation.sector)}
                  labelNames={conversation.label_ids.map((id) => names.label(id)?.name ?? '').filter(Boolean).join(' · ')}
                  me={me}
                  index={item.index}
                  total={rows.length}
                  onOpen={onOpen}
                  onHold={onSelect}
                />
              </div>
            )
          })}
        </div>
        <div className={classes.checks}>
          {items.map((item) => {
            const conversation = rows[item.index]
            if (!conversation) return null
            return <Check key={conversation.id} id={conversation.id} name={conversation.name} on={selection.has(conversation.id)} top={item.start} onSelect={onSelect} />
          })}
        </div>
      </div>
    </div>
  )
})

type CheckProps = { id: string; name: string; on: boolean; top: number; onSelect: (id: string) => void }

/** Check selects a row; it stands outside the listbox, over the row's initials. */
const Check = memo(function Check({ id, name, on, top, onSelect }: CheckProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.check} data-on={on || undefined} style={{ transform: `translateY(${top}px)` }}>
      <input type="checkbox" aria-label={t('list.select', { name })} checked={on} onChange={() => onSelect(id)} />
    </div>
  )
})
