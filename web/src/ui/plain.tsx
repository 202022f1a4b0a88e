import type { ComponentProps, ReactNode } from 'react'
import classes from './plain.module.css'

// The controls of the first screen. They look like Mantine's, which are loaded after the first paint.

type Look = 'filled' | 'default' | 'light' | 'subtle' | 'quiet'

type Plain = Omit<ComponentProps<'button'>, 'className'> & { look?: Look }

type ButtonProps = Plain & { size?: 'sm' | 'xs' | 'compact' }

/** buttonLook returns the attributes that make a link look like a PlainButton. */
export const buttonLook = {
  className: classes.button,
  'data-look': 'filled',
} as const

export function PlainButton({
  look = 'filled',
  size = 'sm',
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={classes.button}
      data-look={look}
      data-size={size}
    />
  )
}

/** IconButton is a square icon button; its label is its accessible name. */
export function IconButton({
  look = 'filled',
  ...props
}: Plain & { 'aria-label': string }) {
  return (
    <button
      type="button"
      {...props}
      className={`${classes.button} ${classes.icon}`}
      data-look={look}
    />
  )
}

/** SearchField is a search input with an icon. */
export function SearchField({
  icon,
  className = '',
  ...props
}: ComponentProps<'input'> & { icon: ReactNode }) {
  return (
    <div className={`${classes.search} ${className}`}>
      {icon}
      <input type="search" role="searchbox" {...props} />
    </div>
  )
}

/** PlainSelect is a native select. */
export function PlainSelect({
  framed = false,
  className = '',
  ...props
}: ComponentProps<'select'> & { framed?: boolean }) {
  return (
    <div
      className={`${classes.select} ${className}`}
      data-framed={framed || undefined}
    >
      <select {...props} />
      <svg
        viewBox="0 0 15 15"
        width={14}
        height={14}
        fill="none"
        stroke="currentColor"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
      >
        <path d="m5.2 5.7 2.3-2.3 2.3 2.3M5.2 9.3l2.3 2.3 2.3-2.3" />
      </svg>
    </div>
  )
}
