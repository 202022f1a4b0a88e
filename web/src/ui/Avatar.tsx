import { IconUsers } from '@tabler/icons-react'
import classes from './Avatar.module.css'

/** initials are the first letters of the first and the last word. */
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

/** colourOf is one of eight colours, always the same for an id. */
export function colourOf(id: string): number {
  let sum = 0
  for (const letter of id)
    sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8192
  return sum % 8
}

/** The size of most of them, see Avatar.module.css. */
const usual = 40

/** Avatar shows the initials of a person or a group. The name stands beside it, so it is hidden from screen readers. */
export function Avatar({
  id,
  name,
  size = usual,
  group = false,
}: {
  id: string
  name: string
  size?: number
  group?: boolean
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
    </span>
  )
}
