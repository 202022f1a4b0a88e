import { Alert } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  Suspense,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type Ref,
} from 'react'
import { useTranslation } from 'react-i18next'
import { changePreferences } from '../../api/preferences'
import { useChannels, useMe, usePreferences, useTeam } from '../../api/queries'
import type { Conversation, Message, SendBody } from '../../api/types'
import { needsAnswers } from '../../contact/closing'
import { useActions } from '../actions'
import { AttachmentList } from './AttachmentList'
import { gapIn } from './canned'
import { ClosedWindow } from './ClosedWindow'
import { ComposerDialogs, type ComposerDialog } from './ComposerDialogs'
import { ComposerNotices } from './ComposerNotices'
import { ComposerText, type TextHandle } from './ComposerText'
import { ComposerTools } from './ComposerTools'
import { ComposerTop, type ComposerTab } from './ComposerTop'
import { noteKey, readDraft, saveDraft, useDraft } from './drafts'
import { laterContent } from './later'
import { mentionsIn } from './mentions'
import { useOutbox } from './OutboxProvider'
import { refusal } from '../refusal'
import { ReplyTo } from './ReplyTo'
import { SendButtons } from './SendButtons'
import { isTouch } from './touch'
import { useActivity } from './useActivity'
import { useAttachments } from './useAttachments'
import { useCaseHint } from './useCaseHint'
import { useCollision } from './useCollision'
import { useServerDraft } from './useServerDraft'
import { useWindow } from './useWindow'
import { captioned, written } from './written'
import classes from './Composer.module.css'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import { toast } from '../../ui/toast'
import { usePhone } from '../../ui/usePhone'

const VoiceRecorder = part(() =>
  withTexts('composer', import('./VoiceRecorder')).then(
    (loaded) => loaded.VoiceRecorder,
  ),
)

export type ComposerHandle = {
  /** focus puts the cursor into the text field of a tab. Without a tab nobody asked for it, and on touch screens nothing happens. */
  focus: (tab?: ComposerTab) => void
  addFiles: (files: File[]) => void
  /** write puts the content of a message that was not sent back into the composer. */
  write: (message: Message) => void
}

type Props = {
  conversation: Conversation
  reply: Message | null
  onReply: (message: Message | null) => void
  handle: Ref<ComposerHandle>
  /** onAsk opens the closing dialog, because closing needs answers. */
  onAsk: () => void
}

/** Composer writes replies and internal notes. */
export function Composer({
  conversation,
  reply,
  onReply,
  handle,
  onAsk,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const phone = usePhone()
  const preferences = usePreferences()
  const { attempt, read, close } = useActions()
  const { outbox } = useOutbox(conversation.id)
  const draft = useDraft(conversation.id)
  const [tab, setTab] = useState<ComposerTab>('answer')
  const noteDraft = useDraft(noteKey(conversation.id))
  const team = useTeam().data ?? []
  const channel = useChannels().data?.find(
    (one) => one.id === conversation.channel,
  )
  const channelSigns = channel?.sign ?? false
  const [recording, setRecording] = useState(false)
  const [dialog, setDialog] = useState<ComposerDialog | null>(null)
  const [afterUpload, setAfterUpload] = useState<'send' | 'close' | null>(null)
  const [focused, setFocused] = useState(0)
  const field = useRef<TextHandle>(null)
  const files = useAttachments(`${me.user.id} ${conversation.id}`)
  const serviceWindow = useWindow(conversation)
  const closed = tab === 'answer' && serviceWindow.closed
  const canHold = !!channel?.reopen_template
  const holding = closed && canHold
  const hold =
    serviceWindow.closed && canHold ? { when_closed: 'hold' as const } : {}
  const caseHint = useCaseHint(conversation)
  const text = (tab === 'note' ? noteDraft?.text : draft?.text) ?? ''
  // Without a reopening template nothing can be written, but what is written stays in view.
  const stuck = closed && !holding
  const [shown, setShown] = useState(false)
  const something = text !== '' || files.files.length > 0
  if (shown !== (stuck && (shown || something))) setShown(stuck && something)
  const { typed, stopped } = useActivity(conversation.id)
  const collision = useCollision(
    conversation.id,
    me.user.id,
    tab === 'answer' && text !== '',
  )
  const syncDraft = useServerDraft(conversation, me.user.id)
  const quote = reply?.external_id
    ? { reply_to_external_id: reply.external_id }
    : {}

  const setText = (next: string) => {
    if (tab === 'note')
      return saveDraft(noteKey(conversation.id), { text: next })
    saveDraft(conversation.id, { text: next })
    syncDraft(next, reply?.external_id ?? null)
  }
  /** toField puts the cursor into the text field, now or as soon as it is rendered. */
  const toField = (asked = false) => {
    if (!asked && isTouch()) return
    field.current?.focus()
    setFocused((n) => n + 1)
  }
  useEffect(() => {
    if (focused > 0) field.current?.focus()
  }, [focused])
  const addFiles = (added: File[]) => {
    if (added.length === 0) return
    setTab('answer')
    files.add(added)
    toField()
  }
  useImperativeHandle(handle, () => ({
    focus: (next) => {
      if (next) setTab(next)
      toField(next !== undefined)
    },
    addFiles,
    write: (message) => {
      setTab('answer')
      const before = readDraft(conversation.id)?.text ?? ''
      if (message.media_id)
        files.attach(
          message.media_id,
          message.media?.file_name ?? t('kind.document'),
          message.text ?? '',
          message.voice,
        )
      else {
        const next = [message.text, before].filter(Boolean).join('\n')
        saveDraft(conversation.id, { text: next })
        syncDraft(next, null)
      }
      toField(true)
    },
  }))
  const returned = draft?.files
  useEffect(() => {
    if (!returned?.length) return
    saveDraft(conversation.id, {
      ...readDraft(conversation.id),
      text: readDraft(conversation.id)?.text ?? '',
      files: undefined,
    })
    for (const { media, name, caption, voice } of returned)
      files.attach(media, name, caption, voice)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- each refused file is attached once
  }, [returned])
  useEffect(() => {
    if (!reply) return
    setTab('answer')
    field.current?.focus()
  }, [reply])

  const blocked = tab === 'answer' && (stuck || gapIn(text) !== null)
  const attached = files.uploading || files.ready.length > 0
  const ready =
    tab === 'note'
      ? text.trim() !== ''
      : (text.trim() !== '' || attached) && !blocked
  const compose = (what: string) =>
    written(
      what,
      files.ready,
      preferences.sign ? me.user.signature || me.user.name : null,
    )
  /** put queues a message and resolves to whether the server accepted it. */
  const put = (
    kind: 'message' | 'note',
    body: Omit<SendBody, 'client_id'>,
    more: { preview?: string; mentions?: string[] } = {},
  ): Promise<boolean> => {
    const client_id = crypto.randomUUID()
    const ending = outbox.ending(client_id)
    void outbox.add({
      client_id,
      conversation: conversation.id,
      kind,
      body: { client_id, ...body },
      created_at: new Date().toISOString(),
      ...more,
    })
    return ending
  }
  /** empty clears the composer after its content was sent or scheduled. */
  const empty = () => {
    files.clear()
    saveDraft(conversation.id, { text: '' })
    syncDraft('', null)
    onReply(null)
    collision.reset()
    stopped()
    toField()
  }
  const sendNote = () => {
    const what = readDraft(noteKey(conversation.id))?.text.trim()
    if (!what) return
    void put('note', { text: what }, { mentions: mentionsIn(what, team) })
    saveDraft(noteKey(conversation.id), { text: '' })
    toField()
  }
  /** sendReply sends what is written now, or when its files are uploaded. closing also closes the case, once the server has the messages. */
  const sendReply = (closing = false) => {
    const what = readDraft(conversation.id)?.text ?? ''
    if ((serviceWindow.closed && !canHold) || gapIn(what) !== null) return
    if (files.uploading) return setAfterUpload(closing ? 'close' : 'send')
    const sent = compose(what)
    const endings = sent.files.map((file) =>
      put(
        'message',
        {
          media_id: file.media,
          ...(file.caption ? { text: file.caption } : {}),
          ...(file.voice ? { voice: true } : {}),
          ...quote,
          ...hold,
        },
        { preview: file.name },
      ),
    )
    if (sent.text)
      endings.push(put('message', { text: sent.text, ...quote, ...hold }))
    if (endings.length === 0) return
    empty()
    if (conversation.unread) void read(conversation)
    if (closing && conversation.attendance && !serviceWindow.closed)
      void Promise.all(endings).then(
        (accepted) =>
          !accepted.includes(false) &&
          attempt(() =>
            close(conversation, {}).catch((error: unknown) => {
              if (!needsAnswers(error)) throw error
              onAsk()
            }),
          ),
      )
  }
  useEffect(() => {
    if (!afterUpload || files.uploading) return
    setAfterUpload(null)
    if (!files.files.some((file) => file.problem))
      sendReply(afterUpload === 'close')
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the end of the upload sends what is written then
  }, [afterUpload, files.uploading])
  const send = (closing = false) =>
    tab === 'note' ? sendNote() : sendReply(closing)
  const later = () => {
    const sent = compose(text)
    setDialog({
      kind: 'later',
      content: laterContent(sent.text, sent.files),
      preview: [
        ...sent.files.flatMap((file) => [file.name, file.caption]),
        sent.text,
      ]
        .filter(Boolean)
        .join('\n'),
      written: true,
    })
  }
  const sign = (on: boolean) =>
    void changePreferences(client, { sign: on }).catch((error: unknown) =>
      toast(refusal(error, t), 'red'),
    )
  const signs = {
    on: preferences.sign || channelSigns,
    fixed: channelSigns,
  }
  const onClose =
    tab === 'answer' && conversation.attendance && ready && !closed
      ? () => send(true)
      : undefined
  const onLater =
    ready && !closed && !files.uploading && afterUpload === null
      ? later
      : undefined

  return (
    <>
      <form
        aria-label={t('composer.form')}
        className={classes.composer}
        data-note={tab === 'note' || undefined}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <ComposerTop
          tab={tab}
          disabled={recording}
          onTab={setTab}
          onChosen={() => toField()}
          sign={
            tab === 'answer' && !stuck && !recording && !phone ? signs : null
          }
          onSign={sign}
        />
        {tab === 'answer' && (
          <ComposerNotices
            conversation={conversation}
            refusal={draft?.refusal}
            onDismiss={() => saveDraft(conversation.id, { text })}
            onNote={() => {
              setTab('note')
              toField(true)
            }}
          />
        )}
        {tab === 'answer' && caseHint && !stuck && (
          <p className={classes.case}>{caseHint}</p>
        )}
        {reply && tab === 'answer' && (
          <ReplyTo
            message={reply}
            conversation={conversation}
            onClose={() => {
              onReply(null)
              toField()
            }}
          />
        )}
        <div id="composer-box">
          {closed && (
            <ClosedWindow
              channel={channel}
              neverWrote={serviceWindow.neverWrote}
              onTemplate={() => setDialog({ kind: 'template' })}
            />
          )}
          {stuck && !shown ? null : recording ? (
            <Suspense fallback={null}>
              <VoiceRecorder
                holding={holding}
                onClose={() => {
                  setRecording(false)
                  toField()
                }}
                onSend={(media, voice) => {
                  void put(
                    'message',
                    {
                      media_id: media,
                      ...(voice ? { voice } : {}),
                      ...quote,
                      ...hold,
                    },
                    { preview: t('kind.audio') },
                  )
                  onReply(null)
                }}
              />
            </Suspense>
          ) : (
            <>
              {tab === 'answer' && (
                <AttachmentList files={files} onRemoved={() => toField()} />
              )}
              {tab === 'note' && noteDraft?.refusal && (
                <Alert color="red" variant="light" p="xs" mb={6}>
                  {noteDraft.refusal}
                </Alert>
              )}
              {collision.hint && (
                <Alert
                  color="yellow"
                  variant="light"
                  role="status"
                  p="xs"
                  mb={6}
                >
                  {collision.hint}
                </Alert>
              )}
              <div className={classes.area}>
                <ComposerText
                  conversation={conversation}
                  note={tab === 'note'}
                  text={text}
                  placeholder={
                    tab === 'note'
                      ? t('note.placeholder')
                      : captioned(files.files.filter((file) => !file.problem))
                        ? t('attach.addCaption')
                        : phone
                          ? t('composer.message')
                          : holding
                            ? t('composer.holdPlaceholder')
                            : t('composer.placeholder')
                  }
                  warning={
                    tab === 'answer' && serviceWindow.closesIn
                      ? t('composer.windowCloses', {
                          time: serviceWindow.closesIn,
                        })
                      : null
                  }
                  handle={field}
                  onText={setText}
                  onTyped={() => typed(tab === 'answer')}
                  onStopped={stopped}
                  onSend={send}
                  onFiles={addFiles}
                  onMedia={files.attach}
                  onEscape={() => {
                    if (reply) onReply(null)
                    return reply !== null
                  }}
                />
                {tab === 'answer' && (
                  <ComposerTools
                    phone={phone}
                    holding={closed}
                    linked={channel?.provider === 'linked'}
                    onField={() => toField()}
                    onFiles={addFiles}
                    onRecord={() => setRecording(true)}
                    onInsert={(piece) => field.current?.insert(piece)}
                    onCanned={() => field.current?.canned()}
                    onDialog={(kind) => setDialog({ kind })}
                    onLater={onLater}
                    onClose={onClose}
                    sign={signs}
                    onSign={sign}
                  />
                )}
                <SendButtons
                  phone={phone}
                  label={
                    tab === 'note'
                      ? t('note.add')
                      : closed
                        ? t('composer.hold')
                        : collision.hint
                          ? t('composer.sendAnyway')
                          : t('composer.send')
                  }
                  holding={closed}
                  ready={ready}
                  waiting={afterUpload !== null}
                  onLater={tab === 'answer' && !closed ? later : undefined}
                  canLater={onLater !== undefined}
                  closes={
                    tab === 'answer' &&
                    !closed &&
                    conversation.attendance !== null
                  }
                  onClose={onClose}
                  onRecord={
                    tab === 'answer' && text.trim() === '' && !attached
                      ? () => setRecording(true)
                      : undefined
                  }
                />
              </div>
            </>
          )}
        </div>
      </form>
      <ComposerDialogs
        conversation={conversation}
        text={tab === 'answer' ? text : ''}
        dialog={dialog}
        onDialog={(next) => {
          setDialog(next)
          if (!next) toField()
        }}
        onSend={(body, preview) => void put('message', body, { preview })}
        onOffer={(interactive) => {
          void put('message', { interactive })
          setText('')
        }}
        onScheduled={empty}
      />
    </>
  )
}
