import { Button } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type Ref,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as ApiFailure } from '../../api/client'
import { useMe, useRowNames, usePreferences } from '../../api/queries'
import type { Conversation, Message } from '../../api/types'
import { timeOf } from '../../contact/place'
import { day } from '../../ui/format'
import { Failure, Loading } from '../../ui/states'
import { useActions } from '../actions'
import { Album } from './Album'
import { Entry } from './Entry'
import { Events } from './Events'
import { useOutbox } from '../composer/OutboxProvider'
import { PendingBubble } from './PendingBubble'
import { refusal } from '../refusal'
import {
  alignOf,
  contains,
  isTurn,
  lineAt,
  threadItems,
  type ThreadItem,
} from './timelineItems'
import { useMarkRead } from './useMarkRead'
import { useThread } from './useThread'
import { firstUnread, useTimeline } from './useTimeline'
import classes from './Timeline.module.css'

/** goTo scrolls to a message or time and reports whether it is loaded. */
export type TimelineHandle = { goTo: (place: string) => boolean }

type Props = {
  conversation: Conversation
  around: string | null
  /** Opens at the end even with unread messages, because the reader asked for the newest. */
  newest: boolean
  find: string
  handle: Ref<TimelineHandle>
  onNewest: () => void
  onReply: (message: Message) => void
  onCard: (message: Message) => void
  onWrite: (message: Message) => void
}

/** Timeline is the thread of a conversation. */
export function Timeline({
  conversation,
  around,
  newest,
  find,
  handle,
  onNewest,
  onReply,
  onCard,
  onWrite,
}: Props) {
  const { t } = useTranslation()
  const me = useMe().user.id
  const names = useRowNames()
  const { mark_read } = usePreferences()
  const { read } = useActions()
  const { timeline, entries } = useTimeline(conversation.id, around)
  const { waiting } = useOutbox(conversation.id)
  const scroll = useRef<HTMLDivElement>(null)
  const [unreadAtOpening] = useState(conversation.unread_count)
  const [found, setFound] = useState(around)
  const ready = timeline.isSuccess

  // The separator stays where it was when the conversation was opened.
  const separator = useRef<string | null | undefined>(undefined)
  if (ready && separator.current === undefined)
    separator.current = around ? null : firstUnread(entries, unreadAtOpening)
  const fresh = separator.current ?? null
  const items = useMemo(
    () => threadItems(entries, waiting, fresh),
    [entries, waiting, fresh],
  )
  const hasSent = useRef(false) // own messages are always shown, even if sent before the thread was loaded
  const start = around
    ? lineAt(items, around)
    : fresh && !newest && !hasSent.current
      ? 'fresh'
      : null
  const { virtual, atEnd, missed, toEnd, follow, settling, settlings } =
    useThread({ scroll, items, ready, start, follows: !around })

  const pending = waiting.length
  const pendingBefore = useRef(around ? pending : 0)
  const showNewest = useRef(onNewest)
  showNewest.current = onNewest
  useEffect(() => {
    const more = pending > pendingBefore.current
    pendingBefore.current = pending
    if (!more) return
    hasSent.current = true
    if (around) showNewest.current()
    else toEnd()
  }, [pending, around, toEnd])

  const {
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    hasPreviousPage,
    isFetchingPreviousPage,
    fetchPreviousPage,
  } = timeline
  const load = useCallback(() => {
    follow()
    const element = scroll.current
    // One page at a time: starting the second would cancel the first, again and again.
    if (!element || settling.current) return
    if (isFetchingNextPage || isFetchingPreviousPage) return
    if (element.scrollTop < 2000 && hasNextPage) void fetchNextPage()
    else if (
      around &&
      element.scrollHeight - element.scrollTop - element.clientHeight < 800 &&
      hasPreviousPage
    )
      void fetchPreviousPage()
  }, [
    follow,
    settling,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    around,
    hasPreviousPage,
    isFetchingPreviousPage,
    fetchPreviousPage,
  ])
  useEffect(() => {
    if (ready) load() // a short page may not fill the view
  }, [ready, load, items.length, settlings])

  useMarkRead(
    conversation,
    ready && atEnd && !around && mark_read === 'opening',
    read,
  )

  const quoted = useMemo(
    () =>
      new Map(
        entries.flatMap((entry) =>
          entry.kind === 'message' && entry.message.external_id
            ? [[entry.message.external_id, entry.message] as const]
            : [],
        ),
      ),
    [entries],
  )
  const goTo = useCallback(
    (place: string) => {
      const key = lineAt(items, place)
      if (key === null) return false
      const index = items.findIndex((item) => item.key === key)
      virtual.scrollToIndex(index, { align: alignOf(items[index]) })
      setFound(place)
      return true
    },
    [items, virtual],
  )
  const goToQuoted = useRef(goTo)
  goToQuoted.current = goTo
  const onGoTo = useCallback((id: string) => void goToQuoted.current(id), [])
  useImperativeHandle(handle, () => ({ goTo }), [goTo])

  const gone =
    around !== null &&
    ((timeline.error instanceof ApiFailure && timeline.error.status === 404) ||
      (ready &&
        !timeline.isFetching &&
        timeOf(around) === null &&
        lineAt(items, around) === null))
  useEffect(() => {
    if (gone) onNewest() // e.g. a deleted note
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it is asked for once
  }, [gone])

  if (!ready) {
    const failure = timeline.error && (
      <Failure
        message={refusal(timeline.error, t)}
        requestId={
          timeline.error instanceof ApiFailure
            ? timeline.error.requestId
            : undefined
        }
        onRetry={() => void timeline.refetch()}
      />
    )
    const instead = failure ?? <Loading rows={6} height={52} />
    if (pending === 0) return instead
    return (
      <div className={classes.frame}>
        <div
          className={classes.scroll}
          tabIndex={0}
          role="log"
          aria-label={t('conversation.messages')}
          aria-live="off"
        >
          <div className={classes.thread}>
            {instead}
            <div className={classes.waiting}>
              {waiting.map((item) => (
                <PendingBubble key={item.client_id} item={item} />
              ))}
            </div>
          </div>
        </div>
      </div>
    )
  }
  const draw = (item: ThreadItem) => {
    if (item.kind === 'day')
      return (
        <div className={classes.day}>
          <span>{day(item.at)}</span>
        </div>
      )
    if (item.kind === 'fresh')
      return (
        <div className={classes.fresh} data-separator>
          <span>
            {t('conversation.newMessages', { count: unreadAtOpening })}
          </span>
        </div>
      )
    if (item.kind === 'pending') return <PendingBubble item={item.item} />
    if (item.kind === 'events')
      return <Events entries={item.entries} names={names} />
    const context = {
      me,
      customer: conversation.name,
      group: conversation.kind === 'group',
      onReply,
      onGoTo,
      onCard,
      onWrite,
    }
    if (item.kind === 'album')
      return (
        <Album
          messages={item.messages}
          found={found !== null && contains(item, found) ? found : null}
          {...context}
        />
      )
    const { entry } = item
    const reply =
      entry.kind === 'message' ? entry.message.reply_to_external_id : null
    return (
      <Entry
        entry={entry}
        names={names}
        quoted={reply ? quoted.get(reply) : undefined}
        find={find}
        found={entry.id === found}
        {...context}
      />
    )
  }
  return (
    <div className={classes.frame}>
      <div
        ref={scroll}
        className={classes.scroll}
        onScroll={load}
        tabIndex={0}
        role="log"
        aria-label={t('conversation.messages')}
        aria-live="off"
      >
        <div className={classes.thread}>
          <div
            className={classes.whole}
            style={{ height: virtual.getTotalSize() }}
          >
            {virtual.getVirtualItems().map((row) => {
              const item = items[row.index]
              return (
                item && (
                  <div
                    key={row.key}
                    ref={virtual.measureElement}
                    data-index={row.index}
                    data-turn={isTurn(items[row.index - 1], item) || undefined}
                    className={classes.line}
                    style={{ transform: `translateY(${row.start}px)` }}
                  >
                    {draw(item)}
                  </div>
                )
              )
            })}
          </div>
        </div>
      </div>
      {(!atEnd || around) && (
        <Button
          className={classes.jump}
          size="xs"
          radius="xl"
          leftSection={<IconArrowDown size={14} />}
          variant="default"
          onClick={() => (around ? onNewest() : toEnd())}
        >
          {missed > 0
            ? t('conversation.jumpNew', { n: missed })
            : t('conversation.jump')}
        </Button>
      )}
    </div>
  )
}
