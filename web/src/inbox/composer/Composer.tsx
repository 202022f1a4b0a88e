import { ActionIcon, Alert, Button, Switch, Tabs } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
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
import { useActions } from '../actions'
import { AttachmentList } from './AttachmentList'
import { gapIn } from './canned'
import { ComposerDialogs, type ComposerDialog } from './ComposerDialogs'
import { ComposerNotices } from './ComposerNotices'
import { ComposerText, type TextHandle } from './ComposerText'
import { ComposerTools } from './ComposerTools'
import { noteKey, saveDraft, useDraft } from './drafts'
import { laterContent } from './later'
import { mentionsIn } from './mentions'
import { useOutbox } from './OutboxProvider'
import { refusal } from '../refusal'
import { ReplyTo } from './ReplyTo'
import { useActivity } from './useActivity'
import { useAttachments } from './useAttachments'
import { useCollision } from './useCollision'
import { useServerDraft } from './useServerDraft'
import { useWindow } from './useWindow'
import { written } from './written'
import classes from './Composer.module.css'
import { part } from '../../ui/parts'
import { toast } from '../../ui/toast'

const VoiceRecorder = part(() =>
  import('./VoiceRecorder').then((loaded) => loaded.VoiceRecorder),
)

export type ComposerHandle = {
  focus: (tab?: 'answer' | 'note') => void
  addFiles: (files: File[]) => void
}

type Props = {
  conversation: Conversation
  reply: Message | null
  onReply: (message: Message | null) => void
  handle: Ref<ComposerHandle>
}

/** Composer writes replies and internal notes. */
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
  const channelSigns =
    useChannels().data?.find((one) => one.id === conversation.channel)?.sign ??
    false
  const [recording, setRecording] = useState(false)
  const [dialog, setDialog] = useState<ComposerDialog | null>(null)
  const field = useRef<TextHandle>(null)
  const files = useAttachments()
  const serviceWindow = useWindow(conversation)
  const text = (tab === 'note' ? noteDraft?.text : draft?.text) ?? ''
  const { typed, stopped } = useActivity(conversation.id)
  const collision = useCollision(
    conversation.id,
    me.user.id,
    tab === 'answer' && text !== '',
  )
  const syncDraft = useServerDraft(conversation, me.user.id)

  const setText = (next: string) => {
    if (tab === 'note')
      return saveDraft(noteKey(conversation.id), { text: next })
    saveDraft(conversation.id, { text: next })
    syncDraft(next, reply?.external_id ?? null)
  }
  useImperativeHandle(handle, () => ({
    focus: (next) => {
      if (next) setTab(next)
      setTimeout(() => field.current?.focus())
    },
    addFiles: files.add,
  }))
  useEffect(() => {
    if (reply) field.current?.focus()
  }, [reply])

  const writeNote = () => {
    setTab('note')
    setTimeout(() => field.current?.focus())
  }
  const blocked =
    tab === 'answer' && (serviceWindow.closed || gapIn(text) !== null)
  const ready =
    tab === 'note'
      ? text.trim() !== ''
      : (text.trim() !== '' || files.ready.length > 0) &&
        !files.uploading &&
        !blocked
  const sent = written(
    text,
    files.ready,
    preferences.sign ? me.user.signature || me.user.name : null,
  )
  const put = (
    kind: 'message' | 'note',
    body: Omit<SendBody, 'client_id'>,
    more: { preview?: string; mentions?: string[] } = {},
  ) => {
    const client_id = crypto.randomUUID()
    void outbox.add({
      client_id,
      conversation: conversation.id,
      kind,
      body: { client_id, ...body },
      created_at: new Date().toISOString(),
      ...more,
    })
  }
  /** empty clears the composer after its content was sent or scheduled. */
  const empty = () => {
    files.clear()
    saveDraft(conversation.id, { text: '' })
    syncDraft('', null)
    onReply(null)
    collision.reset()
    stopped()
    field.current?.focus()
  }
  const send = () => {
    if (!ready) return
    if (tab === 'note') {
      put('note', { text: text.trim() }, { mentions: mentionsIn(text, team) })
      setText('')
      return
    }
    const quote = reply?.external_id
      ? { reply_to_external_id: reply.external_id }
      : {}
    for (const file of sent.files)
      put(
        'message',
        {
          media_id: file.media,
          ...(file.caption ? { text: file.caption } : {}),
          ...quote,
        },
        { preview: file.name },
      )
    if (sent.text) put('message', { text: sent.text, ...quote })
    empty()
    if (conversation.unread) void read(conversation)
  }
  const sign = (on: boolean) =>
    void changePreferences(client, { sign: on }).catch((error: unknown) =>
      toast(refusal(error, t), 'red'),
    )

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
        <div className={classes.top}>
          <Tabs
            value={tab}
            onChange={(value) => setTab(value === 'note' ? 'note' : 'answer')}
            variant="none"
            className={classes.tabs}
          >
            <Tabs.List>
              <Tabs.Tab
                value="answer"
                className={classes.tab}
                aria-controls="composer-box"
              >
                {t('composer.answer')}
              </Tabs.Tab>
              <Tabs.Tab
                value="note"
                className={classes.tab}
                aria-controls="composer-box"
              >
                {t('note.title')}
              </Tabs.Tab>
            </Tabs.List>
          </Tabs>
          {tab === 'answer' && !serviceWindow.closed && (
            <Switch
              size="xs"
              label={t('composer.sign')}
              checked={preferences.sign || channelSigns}
              disabled={channelSigns}
              onChange={(event) => sign(event.currentTarget.checked)}
              className={classes.sign}
            />
          )}
          {tab === 'answer' && serviceWindow.closesIn && (
            <span role="status" className={classes.window}>
              {t('composer.windowCloses', { time: serviceWindow.closesIn })}
            </span>
          )}
        </div>
        {tab === 'answer' && (
          <ComposerNotices
            conversation={conversation}
            refusal={draft?.refusal}
            onDismiss={() => saveDraft(conversation.id, { text })}
            onNote={writeNote}
          />
        )}
        {reply && tab === 'answer' && (
          <ReplyTo
            message={reply}
            conversation={conversation}
            onClose={() => onReply(null)}
          />
        )}
        {tab === 'answer' && serviceWindow.closed ? (
          <div
            role="group"
            aria-label={t('composer.windowClosed')}
            className={classes.closed}
          >
            <p>
              <strong>
                {serviceWindow.neverWrote
                  ? t('composer.neverWrote')
                  : t('composer.windowClosed')}
              </strong>
              <br />
              {serviceWindow.neverWrote
                ? t('composer.neverWroteText')
                : t('composer.windowText')}
            </p>
            <Button onClick={() => setDialog({ kind: 'template' })}>
              {t('composer.chooseTemplate')}
            </Button>
          </div>
        ) : recording ? (
          <Suspense fallback={null}>
            <VoiceRecorder
              onClose={() => setRecording(false)}
              onSend={(media, voice) =>
                put(
                  'message',
                  { media_id: media, ...(voice ? { voice } : {}) },
                  { preview: t('kind.audio') },
                )
              }
            />
          </Suspense>
        ) : (
          <>
            <AttachmentList files={files} />
            <ComposerText
              conversation={conversation}
              note={tab === 'note'}
              text={text}
              handle={field}
              onText={setText}
              onTyped={() => typed(tab === 'answer')}
              onStopped={stopped}
              onSend={send}
              onFiles={files.add}
              onMedia={files.attach}
              onEscape={() => {
                if (reply) onReply(null)
                return reply !== null
              }}
            />
            {tab === 'note' && noteDraft?.refusal && (
              <Alert color="red" variant="light" p="xs">
                {noteDraft.refusal}
              </Alert>
            )}
            {collision.hint && (
              <Alert color="yellow" variant="light" role="status" p="xs">
                {collision.hint}
              </Alert>
            )}
            <div className={classes.bottom}>
              {tab === 'answer' && (
                <ComposerTools
                  onFiles={files.add}
                  onRecord={() => setRecording(true)}
                  onInsert={(piece) => field.current?.insert(piece)}
                  onCanned={() => field.current?.canned()}
                  onDialog={(kind) => setDialog({ kind })}
                />
              )}
              <span className={classes.grow} />
              {tab === 'answer' && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={32}
                  className={classes.later}
                  aria-label={t('composer.later')}
                  title={t('composer.later')}
                  disabled={!ready}
                  onClick={() =>
                    setDialog({
                      kind: 'later',
                      content: laterContent(sent.text, sent.files),
                      preview: [
                        ...sent.files.map((file) => file.name),
                        sent.text,
                      ]
                        .filter(Boolean)
                        .join('\n'),
                      written: true,
                    })
                  }
                >
                  <IconClock size={19} />
                </ActionIcon>
              )}
              <Button type="submit" disabled={!ready}>
                {tab === 'note'
                  ? t('note.add')
                  : collision.hint
                    ? t('composer.sendAnyway')
                    : t('composer.send')}
              </Button>
            </div>
          </>
        )}
      </form>
      <ComposerDialogs
        conversation={conversation}
        text={tab === 'answer' ? text : ''}
        dialog={dialog}
        onDialog={setDialog}
        onSend={(body, preview) => put('message', body, { preview })}
        onOffer={(interactive) => {
          put('message', { interactive })
          setText('')
        }}
        onScheduled={() => {
          empty()
          setTimeout(() => field.current?.focus())
        }}
      />
    </>
  )
}
