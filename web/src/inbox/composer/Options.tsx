import { useEffect, useState, type ReactNode } from 'react'
import classes from './Composer.module.css'

type Option = { id: string; content: ReactNode; choose: () => void }

/** Options is a list of suggestions above the text field. Arrow keys, Enter and Tab work without leaving the field. */
export function Options({
  label,
  none,
  options,
  onClose,
}: {
  label: string
  none: string
  options: Option[]
  onClose: () => void
}) {
  const [at, setAt] = useState(0)
  const current = options[Math.min(at, options.length - 1)]
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key === 'ArrowDown')
        setAt((n) => Math.min(n + 1, options.length - 1))
      else if (event.key === 'ArrowUp') setAt((n) => Math.max(n - 1, 0))
      else if ((event.key === 'Enter' || event.key === 'Tab') && current)
        current.choose()
      else if (event.key === 'Escape') onClose()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', key, true)
    return () => removeEventListener('keydown', key, true)
  })
  return (
    <ul role="listbox" aria-label={label} className={classes.options}>
      {options.length === 0 && (
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
        >
          {option.content}
        </li>
      ))}
    </ul>
  )
}
