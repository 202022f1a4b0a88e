import {
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  type RefObject,
} from 'react'
import { flushSync } from 'react-dom'
import { afterPaint } from '../../ui/parts'

/** How many rows are rendered beyond the visible ones, and how few may remain before more are rendered. */
const around = 5
const least = 2

/** The width is reported in steps, so that rows do not render again for every pixel. */
const step = 20

export type Range = { first: number; last: number }

/** rangeAt returns the range of rows to render for a scroll position. The previous range is kept while it has enough rows on both sides. */
export function rangeAt(
  top: number,
  height: number,
  rowHeight: number,
  before?: Range,
): Range {
  const [first, last] = [
    Math.floor(top / rowHeight),
    Math.floor((top + height) / rowHeight),
  ]
  if (
    before &&
    before.first <= Math.max(0, first - least) &&
    before.last >= last + least
  )
    return before
  return { first: Math.max(0, first - around), last: last + around }
}

/**
 * useVisibleRows returns which rows of a long list to render. All rows have the same height, so nothing is measured, and the first
 * rows are rendered immediately. The rows beyond them follow after the first paint.
 *
 * TanStack Virtual, used by the other long lists, would add 10 kB to the first screen and render the list again before its first paint.
 */
export function useVisibleRows(
  scroll: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
) {
  const height = useRef(0)
  const [width, setWidth] = useState(step * 17)
  const [range, setRange] = useState<Range>(() => ({
    first: 0,
    last: Math.ceil(innerHeight / rowHeight),
  }))

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const view = () =>
      [
        element.scrollTop,
        height.current || element.clientHeight,
        rowHeight,
      ] as const
    const update = () => {
      const now = view()
      flushSync(() => setRange((before) => rangeAt(...now, before))) // render rows in the frame in which they come into view
    }
    const resized = new ResizeObserver(([entry]) => {
      if (!entry?.contentRect.height) return // a hidden list keeps its rows
      height.current = entry.contentRect.height
      setWidth(Math.floor(entry.contentRect.width / step) * step)
      update()
    })
    element.addEventListener('scroll', update, { passive: true })
    resized.observe(element)
    const cancel = afterPaint(() => setRange(rangeAt(...view())))
    return () => {
      cancel()
      element.removeEventListener('scroll', update)
      resized.disconnect()
    }
  }, [scroll, rowHeight])

  /** show scrolls as little as needed to show a row. */
  const show = useCallback(
    (index: number) => {
      const element = scroll.current
      if (!element) return
      const start = index * rowHeight
      const end = start + rowHeight - (height.current || element.clientHeight)
      if (start < element.scrollTop) element.scrollTo({ top: start })
      else if (end > element.scrollTop) element.scrollTo({ top: end })
    },
    [scroll, rowHeight],
  )

  return {
    first: Math.min(range.first, Math.max(0, count - 1)),
    last: Math.min(range.last, count - 1),
    width,
    show,
  }
}
