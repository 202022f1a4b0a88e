import { IconUsers } from '@tabler/icons-react'
import classes from './Avatar.module.css'

/** initials returns the first letters of the first and last word. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const first = words[0]
  if (!first) return '#'
  const last = words.length > 1 ? words[words.length - 1] : undefined
  return (
    Array.from(first)[0] + (last ? (Array.from(last)[0] ?? '') : '')
  ).toLocaleUpperCase()
}

/** colourOf returns one of eight colours, always the same for an id. */
export function colourOf(id: string): number {
  let sum = 0
  for (const letter of id)
    sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8192
  return sum % 8
}

/** The default size; see Avatar.module.css. */
const usual = 40

/**
 * Avatar shows the initials of a person, or the picture of a group. It is hidden from screen readers because the name is next to it.
 * The icon of a group stays visible while the picture loads, and if it cannot be loaded.
 */
export function Avatar({
  id,
  name,
  size = usual,
  group = false,
  picture,
}: {
  id: string
  name: string
  size?: number
  group?: boolean
  picture?: string
}) {
  return (
    <span
      aria-hidden
      data-initials={group ? undefined : initials(name)}
      className={classes.avatar}
      data-colour={colourOf(id)}
      style={
        size === usual
          ? undefined
          : { width: size, height: size, fontSize: Math.round(size * 0.36) }
      }
    >
      {group && <IconUsers size={Math.round(size * 0.48)} />}
      {picture && <img key={picture} src={picture} alt="" />}
    </span>
  )
}
