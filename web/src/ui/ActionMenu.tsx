import { cloneElement, Suspense, useState, type ReactElement, type ReactNode } from 'react'
import { part } from './parts'

const MenuBox = part(() => import('./MenuBox').then((loaded) => loaded.default))

export type MenuAction = { key: string; label: ReactNode; icon?: ReactNode; onClick: () => void; className?: string; keepOpen?: boolean; disabled?: boolean }

type ButtonProps = { onClick?: () => void; 'aria-haspopup'?: 'menu'; 'aria-expanded'?: boolean }
export type ActionMenuProps = { button: ReactElement<ButtonProps>; title?: ReactNode; actions: MenuAction[]; position?: 'bottom-end' | 'right-end'; content?: ReactNode; onClosed?: () => void }

/** ActionMenu is a button with a menu; the menu itself is loaded when it is opened for the first time. */
export function ActionMenu(props: ActionMenuProps) {
  const [used, setUsed] = useState(false)
  const closed = cloneElement(props.button, { onClick: () => setUsed(true), 'aria-haspopup': 'menu', 'aria-expanded': false })
  if (!used) return closed
  return (
    <Suspense fallback={closed}>
      <MenuBox {...props} />
    </Suspense>
  )
}
