import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** Within this distance of the end the view follows it. */
const near = 80

/**
 * useFollow keeps the place of the reader: at the end it follows new entries; elsewhere nothing moves, also when older
 * entries are put before.
 */
export function useFollow(scroll: RefObject<HTMLDivElement | null>, first: string | undefined, count: number, last: string | undefined, ready: boolean) {
  const [atEnd, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(0)
  const following = useRef(true)
  const before = useRef<{ first?: string; last?: string; count: number; height: number; top: number }>({ count: 0, height: 0, top: 0 })

  const toEnd = useCallback(() => {
    const element = scroll.current
    if (element) element.scrollTop = element.scrollHeight
    following.current = true
    setMissed(0)
  }, [scroll])

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element || !ready) return
    const was = before.current
    if (was.count > 0) {
      const added = first !== was.first
      if (added && !following.current) element.scrollTop = was.top + element.scrollHeight - was.height
      else if (following.current) element.scrollTop = element.scrollHeight
      if (last !== was.last && !following.current && !added) setMissed((n) => n + Math.max(1, count - was.count))
    }
    before.current = { first, last, count, height: element.scrollHeight, top: element.scrollTop }
  }, [scroll, first, last, count, ready])

  const onScroll = useCallback(() => {
    const element = scroll.current
    if (!element) return
    following.current = element.scrollHeight - element.scrollTop - element.clientHeight < near
    setAtEnd(following.current)
    if (following.current) setMissed(0)
    before.current.top = element.scrollTop
    before.current.height = element.scrollHeight
  }, [scroll])

  useEffect(() => {
    const element = scroll.current
    const inner = element?.firstElementChild
    if (!element || !inner || !ready) return
    const observer = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(inner)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroll, ready])

  return { atEnd, missed, toEnd, onScroll, following }
}
