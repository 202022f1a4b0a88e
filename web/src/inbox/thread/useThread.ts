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

/** Within this distance from the end, in pixels, the view follows new lines. */
const near = 80

/** Within this distance the reader is at the very end, and the view stays there whatever changes its height. */
const touching = 8

/** The height of the view until it is measured. */
const viewHeight = 900
const padding = 16
const gap = 4

/** placeOf estimates the initial scroll position, so that the first lines are not rendered for nothing. */
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

/** tailOf identifies the last entry of a line. An album grows without a new line. */
const tailOf = (item: ThreadItem | undefined) =>
  item?.kind === 'album' ? item.messages.at(-1)?.id : item?.key

/** After this many frames the start line and the lines above it are measured. */
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
 * useThread renders the visible part of a thread and keeps the reader's position: at the end it follows new lines, elsewhere
 * nothing moves, even when older lines are prepended. It opens at the line with the key start, otherwise at the end.
 * Without follows it does not follow at the end either, because lines added there are not new.
 */
export function useThread({ scroll, items, ready, start, follows }: Options) {
  const [atEnd, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(0)
  // Stable until the lines change; new functions would make the virtualizer recompute all positions.
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

  // At the end, the newest line stays visible when the view or a line changes its height: the composer grows, a phone's keyboard
  // appears, an image loads.
  const pinned = useRef(false)
  useEffect(() => {
    const element = scroll.current
    const lines = element?.firstElementChild
    if (!element || !lines || !follows) return
    const observer = new ResizeObserver(() => {
      if (pinned.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    observer.observe(lines)
    return () => observer.disconnect()
  }, [scroll, follows, ready])

  const placed = useRef(false)
  const settling = useRef(false)
  const [settlings, settled] = useReducer((n: number) => n + 1, 0)
  useLayoutEffect(() => {
    if (!ready || placed.current || !scroll.current || items.length === 0)
      return
    placed.current = true
    const index = start ? items.findIndex((item) => item.key === start) : -1
    if (index < 0) {
      pinned.current = true
      return virtual.scrollToEnd()
    }
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
    const below =
      element.scrollHeight - element.scrollTop - element.clientHeight
    const end = below < near
    setAtEnd(end)
    pinned.current = below < touching && !settling.current
    if (end) setMissed(0)
  }, [scroll, settling])

  const lastKey = tailOf(items.at(-1))
  const before = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (before.current !== undefined && lastKey !== before.current) {
      const from = items.findIndex((item) => tailOf(item) === before.current)
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
