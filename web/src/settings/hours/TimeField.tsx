import { Input } from '@mantine/core'
import { useState } from 'react'
import { readTime } from './week'
import classes from './Hours.module.css'

type Props = {
  name: string
  label: string
  value: string
  end: boolean
  wrong: boolean
  describedBy: string
  onChange: (time: string) => void
}

/**
 * TimeField is a 24-hour time input from 00:00 to 24:00, whatever clock the browser uses. It also accepts 8, 830 and 8h30. Invalid
 * text stays visible with an empty value until the field gets another value. name identifies the field for focusField.
 */
export function TimeField({
  name,
  label,
  value,
  end,
  wrong,
  describedBy,
  onChange,
}: Props) {
  const [typed, setTyped] = useState<{ text: string; value: string } | null>(
    null,
  )
  const text = typed?.value === value ? typed.text : null
  const leave = () => {
    if (text === null) return
    const time = readTime(text, end)
    setTyped(time ? null : { text, value: '' })
    onChange(time ?? '')
  }
  return (
    <Input
      withAria={false}
      data-field={name}
      className={classes.time}
      classNames={{ input: classes.timeInput }}
      inputMode="numeric"
      autoComplete="off"
      maxLength={5}
      required
      placeholder="00:00"
      aria-label={label}
      error={wrong}
      aria-invalid={wrong}
      aria-describedby={wrong ? describedBy : undefined}
      value={text ?? value}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={leave}
      onKeyDown={(event) => event.key === 'Enter' && leave()}
      onChange={(event) => {
        const next = event.currentTarget.value
        const time = /^\d\d:\d\d$/.test(next) ? readTime(next, end) : null
        setTyped({ text: next, value: time ?? value })
        if (time) onChange(time)
      }}
    />
  )
}
