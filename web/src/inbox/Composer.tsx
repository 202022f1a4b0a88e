import { Alert, Button, Switch, Tabs, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useImperativeHandle, useRef, useState, type KeyboardEvent, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { useChannels, useMe, usePreferences, useTeam } from '../api/queries'
import type { Conversation, Message, Preferences, SendBody } from '../api/types'
import { useActions } from './actions'
import { AttachmentList } from './AttachmentList'
import { cannedAt, gapIn } from './canned'
import { ComposerNotices } from './ComposerNotices'
import { ComposerTools } from './ComposerTools'
import { noteKey, saveDraft, useDraft } from './drafts'
import { Mentions } from './Mentions'
import { mentionAt, mentionsIn } from './mentions'
import { useOutbox } from './OutboxProvider'
import { ReplyTo } from './ReplyTo'
import { useActivity } from './useActivity'
import { useAttachments } from './useAttachments'
import { useCollision } from './useCollision'
import { useServerDraft } from './useServerDraft'
import { useWindow } from './useWindow'
import classes from './Composer.module.css'
import { part } from '../ui/parts'

const CannedReplies = part(() => import('./CannedReplies').then((loaded) => loaded.CannedReplies))
const TemplateDialog = part(() => import('./TemplateDialog').then((loaded) => loaded.TemplateDialog))
const VoiceRecorder = part(() => import('./VoiceRecorder').then((loaded) => loaded.VoiceRecorder))

export type ComposerHandle = { focus: (tab?: 'answer' | 'note') => void; addFiles: (files: File[]) => void }

type Props = { conversation: Conversation; reply: Message | null; onReply: (message: Message | null) => void; handle: Ref<ComposerHandle> }

/** Composer writes answers and internal notes. */
export function Composer({ conversation, reply, onReply, handle }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const preferences = usePreferences()
  const { read } = useActions()
  const { outbox } = useOutbox(conversation.id)
  const draft = useDraft(conversation.id)
  const [tab, setTab] = useState<'answer' | 'note'>('answer')
  const noteDraft = useDraft(noteKey(conversation.id))
  const team = useTeam().data ?? []
  const channelSigns = useChannels().data?.find((one) => one.id === conversation.channel)?.sign ?? false
  const [recording, setRecording] = useState(false)
  const [template, setTemplate] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const files = useAttachments()
  const serviceWindow = useWindow(conversation)
  const text = (tab === 'note' ? noteDraft?.text : draft?.text) ?? ''
  const { typed, stopped } = useActivity(conversation.id)
  const collision = useCollision(conversation.id, me.user.id, tab === 'answer' && text !== '')
  const syncDraft = useServerDraft(conversation)
  const [canned, setCanned] = useState<{ from: number; to: number; text: string } | null>(null)
  const [mention, setMention] = useState<{ from: number; to: number; text: string } | null>(null)

  const setText = (next: string) => {
    if (tab === 'note') return saveDraft(noteKey(conversation.id), { text: next })
    saveDraft(conversation.id, { text: next })
    syncDraft(next, reply?.external_id ?? null)
  }
  useImperativeHandle(handle, () => ({
    focus: (next) => {
      if (next) setTab(next)
      setTimeout(() => box.current?.focus())
    },
    addFiles: files.add,
  }))
  useEffect(() => {
    if (reply) box.current?.focus()
  }, [reply])

  const blocked = tab === 'answer' && (serviceWindow.closed || gapIn(text) !== null)
  const ready = tab === 'note' ? text.trim() !== '' : (text.trim() !== '' || files.ready.length > 0) && !files.uploading && !blocked
  const put = (kind: 'message' | 'note', body: Omit<SendBody, 'client_id'>, more: { preview?: string; mentions?: string[] } = {}) => {
    const client_id = crypto.randomUUID()
    void outbox.add({ client_id, conversation: conversation.id, kind, body: { client_id, ...body }, created_at: new Date().toISOString(), ...more })
  }
  const send = () => {
    if (!ready) return
    if (tab === 'note') {
      put('note', { text: text.trim() }, { mentions: mentionsIn(text, team) })
      setText('')
      return
    }
    const quote = reply?.external_id ? { reply_to_external_id: reply.external_id } : {}
    const signed = preferences.sign && text.trim() ? `*${me.user.signature || me.user.name}:*\n${text.trim()}` : text.trim()
    for (const file of files.ready) put('message', { media_id: file.media, ...(file.caption.trim() ? { text: file.caption.trim() } : {}), ...quote }, { preview: file.name })
    if (signed) put('message', { text: signed, ...quote })
    files.clear()
    saveDraft(conversation.id, { text: '' })
    syncDraft('', null)
    onReply(null)
    collision.reset()
    stopped()
    if (conversation.unread) void read(conversation)
    box.current?.focus()
  }

  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      if (canned) setCanned(null)
      else if (reply) onReply(null)
      else event.currentTarget.blur()
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
    const enter = event.key === 'Enter' && (preferences.send_with === 'enter' ? !event.shiftKey && !event.ctrlKey : event.ctrlKey || event.metaKey)
    if (enter) {
      event.preventDefault()
      send()
    }
  }
  const insert = (piece: string, from = box.current?.selectionStart ?? text.length, to = box.current?.selectionEnd ?? text.length) => {
    setText(text.slice(0, from) + piece + text.slice(to))
    const end = from + piece.length
    setTimeout(() => {
      box.current?.focus()
      const gap = gapIn(piece)
      box.current?.setSelectionRange(gap ? from + gap.from : end, gap ? from + gap.to : end)
    })
  }
  const sign = (on: boolean) => {
    client.setQueryData<Preferences>(keys.preferences, { ...preferences, sign: on })
    void answer(api.PATCH('/me/preferences', { body: { sign: on } })).catch(() => undefined)
  }

  return (
    <form
      aria-label={t('composer.form')}
      className={classes.composer}
      data-note={tab === 'note' || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className={classes.top}>
        <Tabs value={tab} onChange={(value) => setTab(value === 'note' ? 'note' : 'answer')} variant="none" className={classes.tabs}>
          <Tabs.List>
            <Tabs.Tab value="answer" className={classes.tab} aria-controls="composer-box">{t('composer.answer')}</Tabs.Tab>
            <Tabs.Tab value="note" className={classes.tab} aria-controls="composer-box">{t('note.title')}</Tabs.Tab>
          </Tabs.List>
        </Tabs>
        {tab === 'answer' && serviceWindow.closesIn && <span role="status" className={classes.window}>{t('composer.windowCloses', { time: serviceWindow.closesIn })}</span>}
      </div>
      {tab === 'answer' && <ComposerNotices conversation={conversation} refusal={draft?.refusal} onDismiss={() => saveDraft(conversation.id, { text })} />}
      {reply && tab === 'answer' && <ReplyTo message={reply} conversation={conversation} onClose={() => onReply(null)} />}
      {tab === 'answer' && serviceWindow.closed ? (
        <div role="group" aria-label={t('composer.windowClosed')} className={classes.closed}>
          <p><strong>{t('composer.windowClosed')}</strong><br />{t('composer.windowText')}</p>
          <Button onClick={() => setTemplate(true)}>{t('composer.chooseTemplate')}</Button>
        </div>
      ) : recording ? (
        <Suspense fallback={null}>
          <VoiceRecorder onClose={() => setRecording(false)} onSend={(media, voice) => put('message', { media_id: media, ...(voice ? { voice } : {}) }, { preview: t('kind.audio') })} />
        </Suspense>
      ) : (
        <>
          <AttachmentList files={files} />
          {canned && (
            <Suspense fallback={null}>
              <CannedReplies
                filter={canned.text} conversation={conversation} onClose={() => setCanned(null)}
                onChoose={(piece, media, title) => {
                  insert(piece, canned.from, canned.to)
                  if (media) files.attach(media, title)
                  setCanned(null)
                }}
              />
            </Suspense>
          )}
          {mention && (
            <Mentions
              filter={mention.text} onClose={() => setMention(null)}
              onChoose={(piece) => {
                insert(piece, mention.from, mention.to)
                setMention(null)
              }}
            />
          )}
          <div id="composer-box" className={classes.box}>
            <Textarea
              ref={box} aria-label={tab === 'note' ? t('note.title') : t('composer.message')} placeholder={tab === 'note' ? t('note.placeholder') : t('composer.placeholder')}
              autosize minRows={1} maxRows={12} variant="unstyled" maxLength={4096} value={text}
              classNames={{ input: classes.input }}
              onKeyDown={keyDown}
              onPaste={(event) => {
                const pasted = [...event.clipboardData.files]
                if (pasted.length > 0 && tab === 'answer') {
                  event.preventDefault()
                  files.add(pasted)
                }
              }}
              onChange={(event) => {
                setText(event.currentTarget.value)
                typed(tab === 'answer')
                const { value, selectionStart } = event.currentTarget
                setCanned(tab === 'answer' ? cannedAt(value, selectionStart) : null)
                setMention(tab === 'note' ? mentionAt(value, selectionStart) : null)
              }}
              onBlur={() => stopped()}
            />
          </div>
          {tab === 'note' && noteDraft?.refusal && <Alert color="red" variant="light" p="xs">{noteDraft.refusal}</Alert>}
          {collision.hint && <Alert color="yellow" variant="light" role="status" p="xs">{collision.hint}</Alert>}
          <div className={classes.bottom}>
            {tab === 'answer' && (
              <ComposerTools
                onFiles={files.add} onRecord={() => setRecording(true)} onInsert={insert} onTemplate={() => setTemplate(true)}
                onCanned={() => setCanned({ from: box.current?.selectionStart ?? text.length, to: box.current?.selectionEnd ?? text.length, text: '' })}
              />
            )}
            <span className={classes.grow} />
            {tab === 'answer' && <Switch size="xs" label={t('composer.sign')} checked={preferences.sign || channelSigns} disabled={channelSigns} onChange={(event) => sign(event.currentTarget.checked)} className={classes.sign} />}
            <Button type="submit" disabled={!ready}>{tab === 'note' ? t('note.add') : collision.hint ? t('composer.sendAnyway') : t('composer.send')}</Button>
          </div>
        </>
      )}
      {template && (
        <Suspense fallback={null}>
          <TemplateDialog
            channel={conversation.channel} onClose={() => setTemplate(false)}
            onSend={(chosen, preview) => {
              put('message', { template: chosen }, { preview })
              setTemplate(false)
            }}
          />
        </Suspense>
      )}
    </form>
  )
}
