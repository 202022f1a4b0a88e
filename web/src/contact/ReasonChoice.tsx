import { TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClosingReason } from '../api/types'
import { byMatch } from '../ui/match'
import classes from './ReasonChoice.module.css'

type Props = {
  reasons: ClosingReason[]
  text: string
  chosen: ClosingReason | null
  required: boolean
  error?: string
  /** onText is called with what is typed, which may be a text of one's own. */
  onText: (text: string) => void
  onChoose: (reason: ClosingReason) => void
}

/**
 * ReasonChoice is a list of closing reasons. Typing filters it, the arrow keys move in it and Enter chooses; while nothing is
 * highlighted, Enter submits the form. The list is always visible, so the field is a textbox and not a combobox.
 */
export function ReasonChoice({
  reasons,
  text,
  chosen,
  required,
  error,
  onText,
  onChoose,
}: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [at, setAt] = useState(-1)
  const found = byMatch(
    reasons,
    text === chosen?.name ? '' : text,
    (one) => one.name,
  )
  const current = found[at]
  const choose = (reason: ClosingReason) => {
    setAt(-1)
    onChoose(reason)
  }
  const key = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter' && current) choose(current)
    else return
    event.preventDefault()
  }
  return (
    <div>
      <TextInput
        label={t('common.reason')}
        placeholder={t(required ? 'closing.filter' : 'closing.filterOrWrite')}
        data-autofocus
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={current && `${id}-${current.id}`}
        autoComplete="off"
        maxLength={500}
        error={error}
        value={text}
        onChange={(event) => {
          const next = event.currentTarget.value
          setAt(next.trim() === '' ? -1 : 0)
          onText(next)
        }}
        onFocus={(event) => event.currentTarget.select()}
        onKeyDown={key}
      />
      <ul
        id={id}
        role="listbox"
        aria-label={t('common.reason')}
        className={classes.options}
      >
        {found.map((one) => (
          <li
            key={one.id}
            id={`${id}-${one.id}`}
            role="option"
            aria-selected={one === chosen}
            data-current={one === current || undefined}
            className={classes.option}
            onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
            onClick={() => choose(one)}
            ref={
              one === (current ?? chosen)
                ? (row) => row?.scrollIntoView({ block: 'nearest' })
                : undefined
            }
          >
            <span>{one.name}</span>
            {one === chosen && <IconCheck size={16} aria-hidden />}
          </li>
        ))}
        {found.length === 0 && (
          <li
            role="option"
            aria-selected={false}
            aria-disabled
            className={classes.option}
          >
            {t(required ? 'closing.noReason' : 'closing.ownReason')}
          </li>
        )}
      </ul>
    </div>
  )
}
