import { Textarea } from '@mantine/core'
import {
  Suspense,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { usePreferences } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { part } from '../../ui/parts'
import { cannedAt, gapIn } from './canned'
import type { Rendered } from './CannedReplies'
import { MemberMentions, Mentions } from './Mentions'
import { mentionAt } from './mentions'
import { Options } from './Options'
import { isTouch } from './touch'
import { pasted } from './useAttachments'
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
  placeholder: string
  /** A short warning on the border of the field. */
  warning: string | null
  onText: (text: string) => void
  onTyped: () => void
  onStopped: () => void
  /** onSend sends what was written; close also closes the case. */
  onSend: (close: boolean) => void
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
  placeholder,
  warning,
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
  const used = useRef(false) // before its first use the cursor of a field stands at the start
  const [canned, setCanned] = useState<Place | null>(null)
  const [mention, setMention] = useState<Place | null>(null)
  const rendering = useRef(0) // chosen replies that the server has not filled in yet
  const waiting = useRef<{ close: boolean } | null>(null) // sends when they are there
  const latest = useRef(onSend)
  useLayoutEffect(() => {
    latest.current = onSend
  })

  const focus = () => {
    const field = box.current
    if (!field) return
    if (!used.current)
      field.setSelectionRange(field.value.length, field.value.length)
    field.focus()
  }
  /** insert changes the field at once, so that the next key lands behind the piece. What was typed behind the place meanwhile stays there. */
  const insert = (piece: string, place?: Place) => {
    const field = box.current
    if (!field) return
    if (!isTouch()) focus()
    const { from, to } = place ?? {
      from: field.selectionStart,
      to: field.selectionEnd,
    }
    const typedOn = place !== undefined && field.selectionStart > to
    const gap = typedOn ? null : gapIn(piece)
    field.setRangeText(piece, from, to, typedOn ? 'preserve' : 'end')
    if (gap) field.setSelectionRange(from + gap.from, from + gap.to)
    flushSync(() => onText(field.value))
  }
  const choose = (place: Place, reply: Promise<Rendered | null>) => {
    setCanned(null)
    focus()
    rendering.current++
    void reply.then((rendered) => {
      rendering.current--
      const sends = waiting.current
      waiting.current = null
      if (!rendered || !box.current) return
      insert(rendered.text, place)
      const { media_id, title } = rendered
      if (media_id) flushSync(() => onMedia(media_id, title))
      if (sends) latest.current(sends.close)
    })
  }
  const chooseMention = (place: Place, piece: string) => {
    setMention(null)
    insert(piece, place)
  }
  const here = (): Place => ({
    from: box.current?.selectionStart ?? text.length,
    to: box.current?.selectionEnd ?? text.length,
    text: '',
  })
  useImperativeHandle(handle, () => ({
    focus,
    insert,
    canned: () => {
      if (!isTouch()) focus()
      setCanned(here())
    },
  }))

  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      if (!onEscape()) behind.current?.focus() // Tab continues from here
      event.stopPropagation()
      return
    }
    const gap = gapIn(text, event.currentTarget.selectionEnd)
    if (event.key === 'Tab' && !event.shiftKey && gap) {
      event.preventDefault()
      event.currentTarget.setSelectionRange(gap.from, gap.to)
      return
    }
    if (event.key !== 'Enter') return
    const control = event.ctrlKey || event.metaKey
    const close = control && event.shiftKey && !note
    if (
      close ||
      (send_with === 'enter' ? !event.shiftKey && !control : control)
    ) {
      event.preventDefault()
      if (rendering.current > 0) waiting.current = { close }
      else onSend(close)
    }
  }

  return (
    <div className={classes.text}>
      {canned && (
        <Suspense
          fallback={
            <Options
              label={t('composer.canned')}
              none=""
              options={[]}
              loading
              onClose={() => setCanned(null)}
            />
          }
        >
          <CannedReplies
            filter={canned.text}
            conversation={conversation}
            onClose={() => setCanned(null)}
            onChoose={(reply) => choose(canned, reply)}
          />
        </Suspense>
      )}
      {mention && note && (
        <Mentions
          filter={mention.text}
          onClose={() => setMention(null)}
          onChoose={(piece) => chooseMention(mention, piece)}
        />
      )}
      {mention && !note && (
        <MemberMentions
          conversation={conversation}
          filter={mention.text}
          onClose={() => setMention(null)}
          onChoose={(piece) => chooseMention(mention, piece)}
        />
      )}
      <div className={classes.box}>
        <Textarea
          ref={box}
          aria-label={note ? t('note.title') : t('composer.message')}
          placeholder={placeholder}
          autosize
          minRows={1}
          maxRows={12}
          variant="unstyled"
          maxLength={4096}
          value={text}
          classNames={{ input: classes.input }}
          onKeyDown={keyDown}
          onFocus={() => {
            used.current = true
          }}
          onPaste={(event) => {
            const files = [...event.clipboardData.files]
            if (files.length === 0 || note) return
            event.preventDefault()
            const time = new Date().toLocaleString('sv').replaceAll(':', '.')
            onFiles(
              files.map((file) => pasted(file, t('attach.pasted', { time }))),
            )
          }}
          onChange={(event) => {
            const { value, selectionStart } = event.currentTarget
            onText(value)
            onTyped()
            const replies = !note && rendering.current === 0
            setCanned(replies ? cannedAt(value, selectionStart) : null)
            setMention(
              note || conversation.kind === 'group'
                ? mentionAt(value, selectionStart)
                : null,
            )
          }}
          onBlur={() => {
            setCanned(null)
            setMention(null)
            onStopped()
          }}
        />
        {warning && (
          <span role="status" className={classes.warning}>
            {warning}
          </span>
        )}
        <span ref={behind} tabIndex={-1} className={classes.behind} />
      </div>
    </div>
  )
}
