import { useRef, type PointerEvent } from 'react'

/** How long a finger must stay in place for a long press, in milliseconds. */
const long = 500

/** useLongPress distinguishes clicks from long presses. Moving the finger scrolls and counts as neither. */
export function useLongPress(onClick: () => void, onLongPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const held = useRef(false)
  const cancel = () => clearTimeout(timer.current)
  return {
    onPointerDown: (event: PointerEvent) => {
      held.current = false
      cancel()
      if (event.pointerType === 'mouse') return
      timer.current = setTimeout(() => {
        held.current = true
        onLongPress()
      }, long)
    },
    onPointerMove: (event: PointerEvent) => {
      if (Math.abs(event.movementX) + Math.abs(event.movementY) > 6) cancel()
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    onContextMenu: (event: { preventDefault: () => void }) => {
      if (held.current) event.preventDefault()
    },
    onClick: () => {
      if (!held.current) onClick()
      held.current = false
    },
  }
}
