import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  type RefObject,
} from 'react'
import { alignOf, estimate, type ThreadItem } from './timelineItems'

/** Within this distance of the end the view follows it. */
const near = 80

/** The height of the view is guessed until it is measured. */
const viewHeight = 900
const padding = 16
const gap = 4

/** placeOf guesses how far down a thread opens, so that its first lines are not drawn in vain. */
function placeOf(items: ThreadItem[], start: string | null): number {
  const index = start ? items.findIndex((item) => item.key === start) : -1
  const above = items
    .slice(0, index < 0 ? items.length : index)
    .reduce((sum, item) => sum + estimate(item) + gap, padding)
  return Math.max(
    0,
    index < 0
      ? above - viewHeight
      : above - (alignOf(items[index]) === 'start' ? 0 : viewHeight / 2),
  )
}

/** A line that the thread opens at stands still after this many frames: it is measured, and so are the lines above it. */
const settlingFrames = 4

function afterFrames(n: number, task: () => void): void {
  requestAnimationFrame(() => (n > 1 ? afterFrames(n - 1, task) : task()))
}

type Options = {
  scroll: RefObject<HTMLDivElement | null>
  items: ThreadItem[]
  ready: boolean
  start: string | null
  follows: boolean
}

/**
 * useThread draws only the visible part of a thread and keeps the place of the reader: at the end it follows new lines,
 * elsewhere nothing moves, also when older lines are put before. It opens at the line with the key start, else at the end.
 * Without follows it stays where it is at the end, too: what is added there is not new.
 */
export function useThread({ scroll, items, ready, start, follows }: Options) {
  const [atEnd, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(0)
  // The same functions until the lines change: other ones make the virtualizer work out all places again.
  const getScrollElement = useCallback(() => scroll.current, [scroll])
  const estimateSize = useCallback(
    (index: number) => estimate(items[index]),
    [items],
  )
  const getItemKey = useCallback(
    (index: number) => items[index]?.key ?? index,
    [items],
  )
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement,
    estimateSize,
    getItemKey,
    overscan: 8,
    paddingStart: padding,
    paddingEnd: padding,
    gap,
    anchorTo: 'end',
    followOnAppend: follows,
    scrollEndThreshold: near,
    initialRect: { width: 700, height: viewHeight },
    initialOffset: () => placeOf(items, start),
  })

  const toEnd = useCallback(() => {
    virtual.scrollToEnd()
    setMissed(0)
  }, [virtual])

  const placed = useRef(false)
  const settling = useRef(false)
  const [settlings, settled] = useReducer((n: number) => n + 1, 0)
  useLayoutEffect(() => {
    if (!ready || placed.current || !scroll.current || items.length === 0)
      return
    placed.current = true
    const index = start ? items.findIndex((item) => item.key === start) : -1
    if (index < 0) return virtual.scrollToEnd()
    virtual.scrollToIndex(index, { align: alignOf(items[index]) })
    settling.current = true
    afterFrames(settlingFrames, () => {
      settling.current = false
      settled()
    })
  }, [ready, items, start, scroll, virtual])

  const follow = useCallback(() => {
    const element = scroll.current
    if (!element) return
    const end =
      element.scrollHeight - element.scrollTop - element.clientHeight < near
    setAtEnd(end)
    if (end) setMissed(0)
  }, [scroll])

  const lastKey = items.at(-1)?.key
  const before = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (before.current !== undefined && lastKey !== before.current) {
      const from = items.findIndex((item) => item.key === before.current)
      const added = from < 0 ? 1 : items.length - 1 - from
      const element = scroll.current
      if (
        element &&
        element.scrollHeight - element.scrollTop - element.clientHeight >=
          near + 160 &&
        !virtual.isAtEnd(near)
      )
        setMissed((n) => n + added)
    }
    before.current = lastKey
    // eslint-disable-next-line react-hooks/exhaustive-deps -- counted once per new last line
  }, [lastKey])

  return { virtual, atEnd, missed, toEnd, follow, settling, settlings }
}
