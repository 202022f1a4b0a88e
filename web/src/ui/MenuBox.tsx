import { Menu } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'

export type MenuAction = {
  key: string
  label: ReactNode
  icon?: ReactNode
  onClick: () => void
  className?: string
  keepOpen?: boolean
  disabled?: boolean
}

type ButtonProps = {
  onClick?: () => void
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
}
export type MenuBoxProps = {
  button: ReactElement<ButtonProps>
  title?: ReactNode
  actions: MenuAction[]
  position?: 'bottom-end' | 'right-end' | 'top-start' | 'top-end'
  content?: ReactNode
  onClosed?: () => void
}

/** MenuBox is the menu of an ActionMenu. It opens when mounted. */
export default function MenuBox({
  button,
  title,
  actions,
  position = 'bottom-end',
  content,
  onClosed,
}: MenuBoxProps) {
  return (
    <Menu position={position} defaultOpened onClose={onClosed} withinPortal>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {title && <Menu.Label>{title}</Menu.Label>}
        {content ||
          actions.map((action) => (
            <Menu.Item
              key={action.key}
              leftSection={action.icon}
              className={action.className}
              closeMenuOnClick={!action.keepOpen}
              disabled={action.disabled}
              onClick={action.onClick}
            >
              {action.label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
