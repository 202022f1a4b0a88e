import { useEffect, useState, type ReactNode } from 'react'
import classes from './Composer.module.css'

type Option = { id: string; content: ReactNode; choose: () => void }

type Props = {
  label: string
  none: string
  options: Option[]
  /** While the options are loading, Enter waits for them instead of sending the text. */
  loading?: boolean
  onClose: () => void
}

/** Options is a list of suggestions above the text field. Arrow keys, Enter and Tab work without leaving the field. */
export function Options({
  label,
  none,
  options,
  loading = false,
  onClose,
}: Props) {
  const [at, setAt] = useState(0)
  const current = options[Math.min(at, options.length - 1)]
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const chooses = event.key === 'Enter' || event.key === 'Tab'
      if (event.isComposing || event.ctrlKey || event.metaKey) return
      if (event.key === 'Escape') onClose()
      else if (event.key === 'ArrowDown' && current)
        setAt((n) => Math.min(n + 1, options.length - 1))
      else if (event.key === 'ArrowUp' && current)
        setAt((n) => Math.max(n - 1, 0))
      else if (chooses && !event.shiftKey && current) current.choose()
      else if (!(chooses && loading)) return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', key, true)
    return () => removeEventListener('keydown', key, true)
  })
  return (
    <ul
      role="listbox"
      aria-label={label}
      aria-busy={loading || undefined}
      className={classes.options}
      onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
    >
      {options.length === 0 && !loading && (
        <li
          role="option"
          aria-selected={false}
          aria-disabled
          className={classes.option}
        >
          {none}
        </li>
      )}
      {options.map((option) => (
        <li
          key={option.id}
          role="option"
          aria-selected={option === current}
          className={classes.option}
          onClick={option.choose}
          ref={
            option === current
              ? (row) => row?.scrollIntoView({ block: 'nearest' })
              : undefined
          }
        >
          {option.content}
        </li>
      ))}
    </ul>
  )
}
