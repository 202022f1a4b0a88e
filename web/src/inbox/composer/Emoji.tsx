import { Popover, TextInput } from '@mantine/core'
import {
  IconBallFootball,
  IconBulb,
  IconFlag,
  IconHeart,
  IconMoodSmile,
  IconPaw,
  IconPizza,
  IconPlane,
  type Icon,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import en from 'emoji-picker-element-data/en/cldr/data.json?url'
import es from 'emoji-picker-element-data/es/cldr/data.json?url'
import pt from 'emoji-picker-element-data/pt/cldr/data.json?url'
import {
  emojiGroups,
  emojisOf,
  findEmojis,
  recentEmojis,
  rememberEmoji,
  type EmojiGroup,
  type Known,
} from './emojis'
import { isTouch } from './touch'
import classes from './Emoji.module.css'

const sources: Record<string, string> = { en, es, 'pt-BR': pt }

const icons: Record<EmojiGroup, Icon> = {
  people: IconMoodSmile,
  nature: IconPaw,
  food: IconPizza,
  activity: IconBallFootball,
  travel: IconPlane,
  objects: IconBulb,
  symbols: IconHeart,
  flags: IconFlag,
}

type Props = {
  target: ReactElement
  onChoose: (emoji: string) => void
  onClose: () => void
  /** onEscape is called after Escape has closed the picker. */
  onEscape: () => void
}

/** Emoji is an emoji picker: the ones used last, categories, and a search in the user's language. It stays open for several clicks, until someone types. */
export default function Emoji({ target, onChoose, onClose, onEscape }: Props) {
  const { t, i18n } = useTranslation()
  const [text, setText] = useState('')
  const [group, setGroup] = useState<EmojiGroup>('people')
  const [recent] = useState(recentEmojis)
  const list = useRef<HTMLDivElement>(null)
  const { data = [] } = useQuery({
    queryKey: ['emoji', i18n.language],
    staleTime: Infinity,
    queryFn: async () =>
      (
        (await (await fetch(sources[i18n.language] ?? en)).json()) as Known[]
      ).sort((a, b) => a.order - b.order),
  })
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const escapes = event.key === 'Escape'
      if (escapes) event.stopPropagation() // it leaves neither the field nor the conversation
      if (escapes || event.target instanceof HTMLTextAreaElement) onClose()
      if (escapes) onEscape()
    }
    addEventListener('keydown', key, true)
    return () => removeEventListener('keydown', key, true)
  }, [onClose, onEscape])
  const choose = (emoji: string, byKey: boolean) => {
    rememberEmoji(emoji)
    if (byKey) onClose()
    onChoose(emoji)
  }
  const section = (title: string, shown: Known[]) =>
    shown.length > 0 && (
      <div role="group" aria-label={title}>
        <h3 aria-hidden>{title}</h3>
        <div className={classes.grid}>
          {shown.map((one) => (
            <button
              key={one.emoji}
              type="button"
              className={classes.emoji}
              aria-label={one.annotation}
              title={one.annotation}
              onClick={(event) => choose(one.emoji, event.detail === 0)}
            >
              {one.emoji}
            </button>
          ))}
        </div>
      </div>
    )
  const used = recent.flatMap(
    (emoji) => data.find((one) => one.emoji === emoji) ?? [],
  )
  return (
    <Popover
      opened
      onClose={onClose}
      onDismiss={onClose}
      position="top-start"
      trapFocus={!isTouch()}
      returnFocus={false}
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
          onKeyDown={(event) => {
            const first = findEmojis(data, text)[0]
            if (event.key !== 'Enter' || !text.trim() || !first) return
            event.preventDefault()
            choose(first.emoji, true)
          }}
        />
        <div
          className={classes.groups}
          role="group"
          aria-label={t('emoji.groups')}
        >
          {emojiGroups.map(({ id }) => {
            const GroupIcon = icons[id]
            return (
              <button
                key={id}
                type="button"
                className={classes.group}
                aria-label={t(`emoji.${id}`)}
                title={t(`emoji.${id}`)}
                aria-pressed={!text.trim() && id === group}
                onClick={() => {
                  setText('')
                  setGroup(id)
                  list.current?.scrollTo(0, 0)
                }}
              >
                <GroupIcon size={19} stroke={1.6} />
              </button>
            )
          })}
        </div>
        <div ref={list} className={classes.list}>
          {text.trim() ? (
            section(t('composer.emoji'), findEmojis(data, text).slice(0, 96))
          ) : (
            <>
              {group === 'people' && section(t('emoji.recent'), used)}
              {section(t(`emoji.${group}`), emojisOf(data, group))}
            </>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
