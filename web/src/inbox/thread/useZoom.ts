import { useRef, useState, type PointerEvent, type WheelEvent } from 'react'

type View = { scale: number; x: number; y: number }
type Point = { x: number; y: number }

const whole: View = { scale: 1, x: 0, y: 0 }
const largest = 6
const clicked = 2.5

/** zoomed scales a view and keeps the point under the pointer, relative to the centre of the picture, where it is. */
export function zoomed(view: View, by: number, at: Point): View {
  const scale = Math.min(largest, Math.max(1, view.scale * by))
  if (scale === 1) return whole
  const ratio = scale / view.scale
  return {
    scale,
    x: at.x - (at.x - view.x) * ratio,
    y: at.y - (at.y - view.y) * ratio,
  }
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)

/** useZoom zooms a picture by wheel, click, pinch and steps, and moves it by dragging. */
export function useZoom() {
  const [view, setView] = useState(whole)
  const pointers = useRef(new Map<number, Point>())
  const moved = useRef(false)
  /** place returns a position relative to the centre of the stage. */
  const place = (event: {
    currentTarget: Element
    clientX: number
    clientY: number
  }): Point => {
    const box = event.currentTarget.getBoundingClientRect()
    return {
      x: event.clientX - box.left - box.width / 2,
      y: event.clientY - box.top - box.height / 2,
    }
  }
  const zoom = (by: number, at: Point = { x: 0, y: 0 }) =>
    setView((before) => zoomed(before, by, at))
  return {
    view,
    zoom,
    reset: () => setView(whole),
    handlers: {
      onWheel: (event: WheelEvent) =>
        zoom(Math.exp(-event.deltaY / 400), place(event)),
      onPointerDown: (event: PointerEvent) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        moved.current = pointers.current.size > 0
        pointers.current.set(event.pointerId, place(event))
      },
      onPointerMove: (event: PointerEvent) => {
        const before = pointers.current.get(event.pointerId)
        if (!before) return
        const now = place(event)
        const [other] = [...pointers.current]
          .filter(([id]) => id !== event.pointerId)
          .map(([, point]) => point)
        if (!other && !moved.current && distance(now, before) < 4) return
        moved.current = true
        pointers.current.set(event.pointerId, now)
        if (other)
          zoom(
            distance(now, other) / Math.max(1, distance(before, other)),
            other,
          )
        else
          setView((one) =>
            one.scale === 1
              ? one
              : {
                  ...one,
                  x: one.x + now.x - before.x,
                  y: one.y + now.y - before.y,
                },
          )
      },
      onPointerUp: (event: PointerEvent) => {
        const tapped =
          pointers.current.delete(event.pointerId) && !moved.current
        if (!tapped) return
        if (view.scale > 1) setView(whole)
        else zoom(clicked, place(event))
      },
      onPointerCancel: (event: PointerEvent) =>
        void pointers.current.delete(event.pointerId),
    },
  }
}
