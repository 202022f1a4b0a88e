import { memo, useEffect, useRef, useState, type MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useChannels, useMe, useNames } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { Rows } from './Rows'
import { useHeld } from './useHeld'
import { useNow } from '../../ui/useNow'
import classes from './ConversationList.module.css'

/** RowProps is what every list of conversations needs besides its rows. */
export type RowProps = {
  list: string
  open: string | undefined
  selecting: boolean
  /** Whether a click on a row selects it instead of opening it. */
  rowsSelect: boolean
  selection: ReadonlySet<string>
  onSelect: (id: string) => void
  onOpen: (id: string) => void
  onMove: (id: string) => void
  onEnter: () => void
  onEnd: () => void
  onShown: (rows: Conversation[]) => void
}

type Props = RowProps & {
  rows: Conversation[]
  gone?: string
  inline?: boolean
}

/** ConversationList is the virtual list of conversations. Its order is held while it is hovered or focused. */
export const ConversationList = memo(function ConversationList({
  rows: now,
  list,
  open,
  gone,
  selecting,
  rowsSelect,
  selection,
  inline,
  onSelect,
  onOpen,
  onMove,
  onEnter,
  onEnd,
  onShown,
}: Props) {
  const { t } = useTranslation()
  const names = useNames()
  const numbers = (useChannels().data?.length ?? 0) > 1
  const me = useMe().user.id
  const time = useNow()
  const frame = useRef<HTMLDivElement>(null)
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
  /** The button disappears with its focus: keyboard users continue in the list. */
  const applyNow = (event: MouseEvent) => {
    apply()
    if (event.detail === 0)
      frame.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus()
    else place({ focus: false })
  }
  useEffect(() => onShown(rows), [rows, onShown])
  return (
    <div
      ref={frame}
      className={classes.frame}
      onPointerEnter={(event) =>
        event.pointerType === 'mouse' && place({ pointer: true })
      }
      onPointerLeave={() => place({ pointer: false })}
      onFocus={() => place({ focus: true })}
      onBlur={(event) =>
        !event.currentTarget.contains(event.relatedTarget) &&
        place({ focus: false })
      }
    >
      {updates > 0 && (
        <button type="button" className={classes.updates} onClick={applyNow}>
          {t('list.updates', { count: updates })}
        </button>
      )}
      <Rows
        rows={rows}
        open={open}
        gone={gone}
        selecting={selecting}
        rowsSelect={rowsSelect}
        selection={selection}
        names={names}
        numbers={numbers}
        inline={inline}
        me={me}
        now={time}
        t={t}
        onSelect={onSelect}
        onOpen={onOpen}
        onMove={onMove}
        onEnter={onEnter}
        onEnd={onEnd}
      />
    </div>
  )
})
