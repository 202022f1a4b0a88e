import { Popover, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import en from 'emoji-picker-element-data/en/cldr/data.json?url'
import es from 'emoji-picker-element-data/es/cldr/data.json?url'
import pt from 'emoji-picker-element-data/pt/cldr/data.json?url'
import classes from './Emoji.module.css'

type Known = {
  emoji: string
  annotation: string
  tags?: string[]
  group: number
  order: number
}

const sources: Record<string, string> = { en, es, 'pt-BR': pt }

type Props = {
  target: ReactElement
  onChoose: (emoji: string) => void
  onClose: () => void
}

/** Emoji is an emoji picker with a search in the user's language. */
export default function Emoji({ target, onChoose, onClose }: Props) {
  const { t, i18n } = useTranslation()
  const [text, setText] = useState('')
  const { data } = useQuery({
    queryKey: ['emoji', i18n.language],
    queryFn: async () =>
      (
        (await (await fetch(sources[i18n.language] ?? en)).json()) as Known[]
      ).sort((a, b) => a.order - b.order),
  })
  const word = text.trim().toLocaleLowerCase()
  const shown = (data ?? [])
    .filter(
      (one) =>
        !word ||
        one.annotation.includes(word) ||
        one.tags?.some((tag) => tag.includes(word)),
    )
    .slice(0, word ? 96 : 480)
  return (
    <Popover
      opened
      onClose={onClose}
      onDismiss={onClose}
      position="top-start"
      trapFocus
      withinPortal
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown p="xs" className={classes.picker}>
        <TextInput
          size="xs"
          type="search"
          role="searchbox"
          data-autofocus
          aria-label={t('composer.emojiSearch')}
          placeholder={t('composer.emojiSearch')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <div
          className={classes.grid}
          role="group"
          aria-label={t('composer.emoji')}
        >
          {shown.map((one) => (
            <button
              key={one.emoji}
              type="button"
              className={classes.emoji}
              aria-label={one.annotation}
              title={one.annotation}
              onClick={() => onChoose(one.emoji)}
            >
              {one.emoji}
            </button>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
