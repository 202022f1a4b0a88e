import { cloneElement, Suspense, useState } from 'react'
import type { MenuBoxProps } from './MenuBox'
import { part } from './parts'

const MenuBox = part(() => import('./MenuBox').then((loaded) => loaded.default))

/** ActionMenu is a button with a menu. The menu is loaded when it is first opened. */
export function ActionMenu(props: MenuBoxProps) {
  const [used, setUsed] = useState(false)
  const closed = cloneElement(props.button, {
    onClick: () => setUsed(true),
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  })
  if (!used) return closed
  return (
    <Suspense fallback={closed}>
      <MenuBox {...props} />
    </Suspense>
  )
}
