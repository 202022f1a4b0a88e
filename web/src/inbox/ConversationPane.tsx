import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as ApiFailure } from '../api/client'
import { keys } from '../api/keys'
import {
  fieldsOptions,
  reasonsOptions,
  rulesOptions,
  useMe,
} from '../api/queries'
import type { Conversation, Message } from '../api/types'
import { CloseDialog } from '../contact/CloseDialog'
import { atTime } from '../contact/place'
import { Failure, Loading } from '../ui/states'
import { useActions } from './actions'
import { offerCaseActions, type CaseAction } from './caseActions'
import { Composer, type ComposerHandle } from './composer/Composer'
import {
  AlsoHere,
  ConversationHeader,
  type PaneDialog,
} from './ConversationHeader'
import { FindBar } from './thread/FindBar'
import { refusal } from './refusal'
import { Timeline, type TimelineHandle } from './thread/Timeline'
import { useConversation } from './list/useConversations'
import { useScheduled } from './composer/useScheduled'
import classes from './ConversationPane.module.css'
import { withTexts } from '../ui/i18n'
import { afterPaint, part } from '../ui/parts'

const SnoozeDialog = part(() =>
  import('./SnoozeDialog').then((loaded) => loaded.SnoozeDialog),
)
const TransferDialog = part(() =>
  import('./details/TransferDialog').then((loaded) => loaded.TransferDialog),
)
const CreateCardDialog = part(() =>
  import('./details/CreateCardDialog').then(
    (loaded) => loaded.CreateCardDialog,
  ),
)
const ScheduledList = part(() =>
  withTexts('composer', import('./composer/ScheduledList')).then(
    (loaded) => loaded.ScheduledList,
  ),
)
const GoToDateDialog = part(() =>
  import('./thread/GoToDateDialog').then((loaded) => loaded.GoToDateDialog),
)

type Props = {
  id: string
  listed: Conversation | undefined
  around: string | null
  dialog: PaneDialog
  setDialog: (dialog: PaneDialog) => void
  onAround: (around: string | null) => void
  onBack: () => void
  onDetails: () => void
  onNext: () => void
  composer: React.RefObject<ComposerHandle | null>
}

/** ConversationPane is the open conversation: header, thread and composer. */
export function ConversationPane({
  id,
  listed,
  around,
  dialog,
  setDialog,
  onAround,
  onBack,
  onDetails,
  onNext,
  composer,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const actions = useActions()
  const navigate = useNavigate()
  const me = useMe().user.id
  const { data: conversation, error, refetch } = useConversation(id, listed)
  const [reply, setReply] = useState<Message | null>(null)
  const [finding, setFinding] = useState(false)
  const [find, setFind] = useState('')
  const [dropping, setDropping] = useState(false)
  const [card, setCard] = useState('')
  const [newest, setNewest] = useState(false)
  const scheduled = useScheduled(id)
  const thread = useRef<TimelineHandle>(null)
  const onCard = useCallback(
    (message: Message) => {
      setCard(message.text ?? '')
      setDialog('card')
    },
    [setDialog],
  )

  const onWrite = useCallback(
    (message: Message) => composer.current?.write(message),
    [composer],
  )

  // The closing dialog opens without waiting.
  useEffect(
    () =>
      afterPaint(() => {
        void client.prefetchQuery(reasonsOptions)
        void client.prefetchQuery(fieldsOptions)
        void client.prefetchQuery(rulesOptions)
      }),
    [client],
  )

  useEffect(() => {
    const key = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
        event.preventDefault()
        setFinding(true)
      }
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])

  useEffect(() => {
    if (!conversation || conversation.erased) return
    const { attendance } = conversation
    const open = (next: PaneDialog) => () => setDialog(next)
    const all: (CaseAction | false | null)[] = [
      {
        key: 'reply',
        label: t('message.reply'),
        hint: 'r',
        run: () => composer.current?.focus(),
      },
      {
        key: 'note',
        label: t('note.title'),
        hint: 'n',
        run: () => composer.current?.focus('note'),
      },
      attendance &&
        conversation.assignee !== me && {
          key: 'take',
          label: t('conversation.take'),
          run: () => void actions.take(conversation),
        },
      {
        key: 'transfer',
        label: t('conversation.transfer'),
        hint: 't',
        run: open('transfer'),
      },
      attendance && {
        key: 'close',
        label: t('conversation.close'),
        hint: 'e',
        run: open('close'),
      },
      {
        key: 'snooze',
        label: t('conversation.snooze'),
        hint: 's',
        run: open('snooze'),
      },
      {
        key: 'unread',
        label: t('conversation.unread'),
        hint: 'u',
        run: () => void actions.unread(conversation),
      },
      { key: 'card', label: t('card.create'), run: open('card') },
      { key: 'date', label: t('conversation.goToDate'), run: open('date') },
    ]
    return offerCaseActions(() => all.filter((one) => !!one))
  })

  if (!conversation) {
    return (
      <section className={classes.pane} aria-label={t('inbox.conversation')}>
        {error ? (
          <Failure
            message={refusal(error, t)}
            requestId={
              error instanceof ApiFailure ? error.requestId : undefined
            }
            onRetry={() => void refetch()}
          />
        ) : (
          <Loading rows={5} />
        )}
      </section>
    )
  }
  return (
    <section
      className={classes.pane}
      aria-label={t('inbox.conversation')}
      data-dropping={dropping || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={(event) =>
        !event.currentTarget.contains(event.relatedTarget as Node | null) &&
        setDropping(false)
      }
      onDrop={(event) => {
        event.preventDefault()
        setDropping(false)
        composer.current?.addFiles([...event.dataTransfer.files])
      }}
    >
      <ConversationHeader
        conversation={conversation}
        onDialog={(next) => {
          setCard('')
          setDialog(next)
        }}
        onBack={onBack}
        onDetails={onDetails}
      />
      <AlsoHere conversation={id} />
      {finding && (
        <FindBar
          conversation={id}
          text={find}
          onText={setFind}
          onGo={(message) => thread.current?.goTo(message) || onAround(message)}
          onClose={() => {
            setFinding(false)
            setFind('')
          }}
        />
      )}
      <Timeline
        key={`${id} ${around ?? ''}`}
        conversation={conversation}
        around={around}
        newest={newest}
        find={find}
        handle={thread}
        onReply={setReply}
        onCard={onCard}
        onWrite={onWrite}
        onNewest={() => {
          client.removeQueries({ queryKey: keys.timeline(id, around) })
          setNewest(true)
          onAround(null)
        }}
      />
      {scheduled.length > 0 && (
        <Suspense fallback={null}>
          <ScheduledList conversation={conversation} entries={scheduled} />
        </Suspense>
      )}
      {conversation.erased ? (
        <p className={classes.erased}>{t('details.erasedText')}</p>
      ) : (
        <Composer
          key={id}
          conversation={conversation}
          reply={reply}
          onReply={setReply}
          handle={composer}
          onAsk={() => setDialog('close')}
        />
      )}
      <Suspense fallback={null}>
        {dialog === 'transfer' && (
          <TransferDialog
            onClose={() => setDialog(null)}
            onTransfer={(body) => actions.transfer(conversation, body)}
          />
        )}
        {dialog === 'close' && (
          <CloseDialog
            onClose={() => setDialog(null)}
            onNext={onNext}
            sectors={[conversation.sector]}
            only={
              conversation.attendance
                ? {
                    attendance: conversation.attendance.id,
                    contact: conversation.contact,
                  }
                : undefined
            }
            onSubmit={(closing) =>
              actions.close(
                conversation,
                closing,
                () =>
                  void navigate({
                    to: '/inbox/$view/$conversation',
                    params: (before) => ({
                      view: before.view ?? 'open',
                      conversation: id,
                    }),
                  }),
              )
            }
          />
        )}
        {dialog === 'snooze' && (
          <SnoozeDialog
            onClose={() => setDialog(null)}
            onSnooze={(until) => actions.snooze(conversation, until)}
          />
        )}
        {dialog === 'card' && (
          <CreateCardDialog
            conversation={conversation}
            text={card}
            onClose={() => setDialog(null)}
          />
        )}
        {dialog === 'date' && (
          <GoToDateDialog
            onClose={() => setDialog(null)}
            onGo={(at) =>
              (around === atTime(at) && thread.current?.goTo(around)) ||
              onAround(atTime(at))
            }
          />
        )}
      </Suspense>
    </section>
  )
}
