import { ActionIcon, CloseButton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { number } from '../../ui/format'
import { useMatches } from './useMatches'
import classes from '../ConversationPane.module.css'

type Props = {
  conversation: string
  text: string
  onText: (text: string) => void
  onGo: (message: string) => void
  onClose: () => void
}

/** FindBar searches the messages of one conversation. */
export function FindBar({ conversation, text, onText, onGo, onClose }: Props) {
  const { t } = useTranslation()
  const [at, setAt] = useState(-1)
  const [wanted] = useDebouncedValue(text.trim(), 200)
  const hits = useMatches(conversation, wanted)
  const count = hits?.length ?? 0
  // The newest match is shown at once.
  const [newest] = hits ?? []
  const show = useRef(onGo)
  show.current = onGo
  useEffect(() => {
    if (!newest) return
    setAt(0)
    show.current(newest)
  }, [wanted, newest])
  const go = (step: number) => {
    const next = Math.min(count - 1, Math.max(0, at + step))
    const hit = hits?.[next]
    if (!hit) return
    setAt(next)
    onGo(hit)
  }
  return (
    <div className={classes.find} role="search">
      <TextInput
        size="xs"
        type="search"
        role="searchbox"
        autoFocus
        flex={1}
        aria-label={t('find.label')}
        placeholder={t('find.label')}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value)
          setAt(-1)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
      />
      <span role="status">
        {wanted.length >= 2 && hits
          ? count === 0
            ? t('find.none')
            : `${number(Math.max(0, at) + 1)}/${number(count)}`
          : ''}
      </span>
      <ActionIcon
        variant="default"
        aria-label={t('find.previous')}
        disabled={at + 1 >= count}
        onClick={() => go(1)}
      >
        <IconChevronUp size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t('find.next')}
        disabled={at <= 0}
        onClick={() => go(-1)}
      >
        <IconChevronDown size={16} />
      </ActionIcon>
      <CloseButton aria-label={t('common.dismiss')} onClick={onClose} />
    </div>
  )
}
