import { Textarea, TextInput } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Reception.module.css'

type Props = {
  id?: string
  label: string
  description?: string
  placeholder?: string
  most: number
  value: string
  error?: string
  long?: boolean
  onChange: (value: string) => void
  onKeyDown?: (event: KeyboardEvent) => void
}

/** CountedField is a field with a character counter that counts like the server. */
export function CountedField({
  id,
  label,
  description,
  placeholder,
  most,
  value,
  error,
  long = false,
  onChange,
  onKeyDown,
}: Props) {
  const { t } = useTranslation()
  const n = [...value].length
  const props = {
    id,
    description,
    placeholder,
    value,
    onKeyDown,
    'aria-label': label,
    label: (
      <>
        {label}{' '}
        <span
          className={classes.count}
          data-over={n > most || undefined}
          aria-hidden
        >
          {n}/{most}
        </span>
      </>
    ),
    error: n > most ? t('wrong.too_long', { max: most }) : error,
  }
  return long ? (
    <Textarea
      {...props}
      autosize
      minRows={2}
      maxRows={8}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
