import { useEffect, useState, type RefObject } from 'react'
import type { Media } from '../../api/types'
import { computeWaveform, knownWaveform } from './waveform'

/** useWaveform returns the levels of a recording, or null until they are known. They are computed when the element becomes visible. */
export function useWaveform(
  media: Media,
  address: string,
  element: RefObject<Element | null>,
): number[] | null {
  const [levels, setLevels] = useState(() => knownWaveform(media.id) ?? null)
  const { id, size } = media
  useEffect(() => {
    if (knownWaveform(id) !== undefined || !element.current) return
    let visible = false
    const observer = new IntersectionObserver(([entry]) => {
      visible = entry?.isIntersecting ?? false
      if (!visible) return
      void computeWaveform({ id, size }, address, () => visible).then(
        (found) => {
          if (!found) return
          observer.disconnect()
          setLevels(found)
        },
      )
    })
    observer.observe(element.current)
    return () => {
      visible = false
      observer.disconnect()
    }
  }, [id, size, address, element])
  return levels
}
