import { Textarea } from '@mantine/core'
import {
  Suspense,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { useTranslation } from 'react-i18next'
import { usePreferences } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { part } from '../../ui/parts'
import { cannedAt, gapIn } from './canned'
import { Mentions } from './Mentions'
import { mentionAt } from './mentions'
import classes from './Composer.module.css'

const CannedReplies = part(() =>
  import('./CannedReplies').then((loaded) => loaded.CannedReplies),
)

export type TextHandle = {
  focus: () => void
  insert: (piece: string) => void
  canned: () => void
}

type Place = { from: number; to: number; text: string }

type Props = {
  conversation: Conversation
  note: boolean
  text: string
  onText: (text: string) => void
  onTyped: () => void
  onStopped: () => void
  onSend: () => void
  onFiles: (files: File[]) => void
  onMedia: (media: string, title: string) => void
  /** onEscape handles Escape before it leaves the field and reports whether it did something. */
  onEscape: () => boolean
  handle: Ref<TextHandle>
}

/** ComposerText is the text field for replies and notes, with canned replies after "/" and people after "@". */
export function ComposerText({
  conversation,
  note,
  text,
  onText,
  onTyped,
  onStopped,
  onSend,
  onFiles,
  onMedia,
  onEscape,
  handle,
}: Props) {
  const { t } = useTranslation()
  const { send_with } = usePreferences()
  const box = useRef<HTMLTextAreaElement>(null)
  const behind = useRef<HTMLSpanElement>(null)
  const [canned, setCanned] = useState<Place | null>(null)
  const [mention, setMention] = useState<Place | null>(null)

  const insert = (
    piece: string,
    from = box.current?.selectionStart ?? text.length,
    to = box.current?.selectionEnd ?? text.length,
  ) => {
    onText(text.slice(0, from) + piece + text.slice(to))
    const end = from + piece.length
    setTimeout(() => {
      box.current?.focus()
      const gap = gapIn(piece)
      box.current?.setSelectionRange(
        gap ? from + gap.from : end,
        gap ? from + gap.to : end,
      )
    })
  }
  useImperativeHandle(handle, () => ({
    focus: () => box.current?.focus(),
    insert,
    canned: () =>
      setCanned({
        from: box.current?.selectionStart ?? text.length,
        to: box.current?.selectionEnd ?? text.length,
        text: '',
      }),
  }))

  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      if (canned) setCanned(null)
      else if (!onEscape()) behind.current?.focus() // Tab continues from here
      event.stopPropagation()
      return
    }
    if (canned || mention) return
    const gap = gapIn(text, event.currentTarget.selectionEnd)
    if (event.key === 'Tab' && !event.shiftKey && gap) {
      event.preventDefault()
      event.currentTarget.setSelectionRange(gap.from, gap.to)
      return
    }
    const enter =
      event.key === 'Enter' &&
      (send_with === 'enter'
        ? !event.shiftKey && !event.ctrlKey
        : event.ctrlKey || event.metaKey)
    if (enter) {
      event.preventDefault()
      onSend()
    }
  }

  return (
    <>
      {canned && (
        <Suspense fallback={null}>
          <CannedReplies
            filter={canned.text}
            conversation={conversation}
            onClose={() => setCanned(null)}
            onChoose={(piece, media, title) => {
              insert(piece, canned.from, canned.to)
              if (media) onMedia(media, title)
              setCanned(null)
            }}
          />
        </Suspense>
      )}
      {mention && (
        <Mentions
          filter={mention.text}
          onClose={() => setMention(null)}
          onChoose={(piece) => {
            insert(piece, mention.from, mention.to)
            setMention(null)
          }}
        />
      )}
      <div id="composer-box" className={classes.box}>
        <Textarea
          ref={box}
          aria-label={note ? t('note.title') : t('composer.message')}
          placeholder={note ? t('note.placeholder') : t('composer.placeholder')}
          autosize
          minRows={1}
          maxRows={12}
          variant="unstyled"
          maxLength={4096}
          value={text}
          classNames={{ input: classes.input }}
          onKeyDown={keyDown}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files]
            if (pasted.length > 0 && !note) {
              event.preventDefault()
              onFiles(pasted)
            }
          }}
          onChange={(event) => {
            const { value, selectionStart } = event.currentTarget
            onText(value)
            onTyped()
            setCanned(note ? null : cannedAt(value, selectionStart))
            setMention(note ? mentionAt(value, selectionStart) : null)
          }}
          onBlur={onStopped}
        />
        <span ref={behind} tabIndex={-1} className={classes.behind} />
      </div>
    </>
  )
}
