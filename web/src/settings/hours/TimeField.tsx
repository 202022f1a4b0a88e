import { Input } from '@mantine/core'
import { useState } from 'react'
import { readTime } from './week'
import classes from './Hours.module.css'

type Props = { name: string; label: string; value: string; end: boolean; wrong: boolean; describedBy: string; onChange: (time: string) => void }

/**
 * TimeField is a time of the day from 00:00 to 24:00, whatever clock the browser shows. It takes 8, 830 and 8h30, too. A text
 * that is no time stays there, and the value is empty. name is how focusField finds it.
 */
export function TimeField({ name, label, value, end, wrong, describedBy, onChange }: Props) {
  const [text, setText] = useState<string | null>(null)
  const [typing, setTyping] = useState(false)
  const leave = () => {
    setTyping(false)
    if (text === null) return
    const time = readTime(text, end)
    if (time) setText(null)
    onChange(time ?? '')
  }
  return (
    <Input
      withAria={false} data-field={name} className={classes.time} classNames={{ input: classes.timeInput }} inputMode="numeric" autoComplete="off" maxLength={5} required placeholder="00:00"
      aria-label={label} error={wrong} aria-invalid={wrong} aria-describedby={wrong ? describedBy : undefined} value={text !== null && (typing || value === '') ? text : value}
      onFocus={(event) => {
        setTyping(true)
        event.currentTarget.select()
      }}
      onBlur={leave}
      onKeyDown={(event) => event.key === 'Enter' && leave()}
      onChange={(event) => {
        const typed = event.currentTarget.value
        setTyping(true)
        setText(typed)
        const time = /^\d\d:\d\d$/.test(typed) ? readTime(typed, end) : null
        if (time) onChange(time)
      }}
    />
  )
}
