import { Button } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { Fragment, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as ApiFailure } from '../api/client'
import { useMe, usePreferences } from '../api/queries'
import type { Conversation, Message } from '../api/types'
import { day, dayKey } from '../ui/format'
import { Failure, Loading } from '../ui/states'
import { useActions } from './actions'
import { Entry } from './Entry'
import { useOutbox } from './OutboxProvider'
import { PendingBubble } from './PendingBubble'
import { refusal } from './refusal'
import { useFollow } from './useFollow'
import { firstUnread, useTimeline } from './useTimeline'
import classes from './Timeline.module.css'

type Props = { conversation: Conversation; around: string | null; find: string; onNewest: () => void; onReply: (message: Message) => void; onCard: (message: Message) => void }

/** Timeline is the thread of a conversation. */
export function Timeline({ conversation, around, find, onNewest, onReply }: Props) {
  const { t } = useTranslation()
  const me = useMe().user.id
  const { mark_read } = usePreferences()
  const { read } = useActions()
  const { timeline, entries } = useTimeline(conversation.id, around)
  const { waiting } = useOutbox(conversation.id)
  const scroll = useRef<HTMLDivElement>(null)
  const [unreadAtOpening] = useState(conversation.unread_count)
  const sent = useMemo(() => new Set(entries.map((entry) => (entry.kind === 'message' ? entry.message.client_id : entry.kind === 'note' ? entry.note.client_id : null))), [entries])
  const pending = waiting.filter((item) => !sent.has(item.client_id))
  const ready = timeline.isSuccess
  const firstKey = entries[0]?.id
  const lastKey = pending.at(-1)?.client_id ?? entries.at(-1)?.id
  const { atEnd, missed, toEnd, onScroll, following } = useFollow(scroll, firstKey, entries.length + pending.length, lastKey, ready)

  // The separator stays where it was when the conversation was opened.
  const separator = useRef<string | null | undefined>(undefined)
  if (ready && separator.current === undefined) separator.current = around ? null : firstUnread(entries, unreadAtOpening)

  const placed = useRef(false)
  useLayoutEffect(() => {
    if (!ready || placed.current || !scroll.current) return
    placed.current = true
    const target = around ? scroll.current.querySelector(`[data-entry="${CSS.escape(around)}"]`) : scroll.current.querySelector('[data-separator]')
    if (target) {
      target.scrollIntoView({ block: around ? 'center' : 'start' })
      if (around) target.setAttribute('data-found', '')
      const { scrollHeight, scrollTop, clientHeight } = scroll.current
      following.current = scrollHeight - scrollTop - clientHeight < 80
    } else toEnd()
  }, [ready, around, toEnd, following])

  const pendingCount = pending.length
  useEffect(() => {
    if (pendingCount > 0) toEnd() // one's own message is always shown
  }, [pendingCount, toEnd])

  const { hasNextPage, isFetchingNextPage, fetchNextPage, hasPreviousPage, isFetchingPreviousPage, fetchPreviousPage } = timeline
  const load = useCallback(() => {
    onScroll()
    const element = scroll.current
    if (!element) return
    if (element.scrollTop < 1500 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    if (around && element.scrollHeight - element.scrollTop - element.clientHeight < 800 && hasPreviousPage && !isFetchingPreviousPage) void fetchPreviousPage()
  }, [onScroll, hasNextPage, isFetchingNextPage, fetchNextPage, around, hasPreviousPage, isFetchingPreviousPage, fetchPreviousPage])
  useEffect(() => {
    const element = scroll.current
    if (ready && element && element.scrollHeight <= element.clientHeight + 200 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [ready, hasNextPage, isFetchingNextPage, fetchNextPage, entries.length])

  useMarkRead(conversation, ready && atEnd && !around && mark_read === 'opening', read)

  const quoted = useMemo(() => new Map(entries.flatMap((entry) => (entry.kind === 'message' && entry.message.external_id ? [[entry.message.external_id, entry.message] as const] : []))), [entries])
  const goTo = useCallback((id: string) => {
    const target = scroll.current?.querySelector(`[data-entry="${CSS.escape(id)}"]`)
    if (!target) return
    target.scrollIntoView({ block: 'center', behavior: 'smooth' })
    target.removeAttribute('data-found')
    requestAnimationFrame(() => target.setAttribute('data-found', ''))
  }, [])

  if (timeline.isPending) return <Loading rows={6} height={52} />
  if (timeline.isError) {
    return <Failure message={refusal(timeline.error, t)} requestId={timeline.error instanceof ApiFailure ? timeline.error.requestId : undefined} onRetry={() => void timeline.refetch()} />
  }
  let shownDay = ''
  return (
    <div className={classes.frame}>
      <div ref={scroll} className={classes.scroll} onScroll={load} tabIndex={0} role="log" aria-label={t('conversation.messages')} aria-live="off">
        <div className={classes.thread}>
          {entries.map((entry) => {
            const key = dayKey(entry.at)
            const newDay = key !== shownDay
            shownDay = key
            return (
              <Fragment key={`${entry.kind} ${entry.id}`}>
                {newDay && <div className={classes.day}><span>{day(entry.at)}</span></div>}
                {entry.id === separator.current && <div className={classes.fresh} data-separator><span>{t('conversation.newMessages', { count: unreadAtOpening })}</span></div>}
                <Entry entry={entry} me={me} conversation={conversation} quoted={quoted} find={find} onReply={onReply} onGoTo={goTo} />
              </Fragment>
            )
          })}
          {pending.map((item) => <PendingBubble key={item.client_id} item={item} />)}
        </div>
      </div>
      {(!atEnd || around) && (
        <Button
          className={classes.jump} size="xs" radius="xl" leftSection={<IconArrowDown size={14} />} variant="default"
          onClick={() => (around ? onNewest() : toEnd())}
        >
          {missed > 0 ? t('conversation.jumpNew', { n: missed }) : t('conversation.jump')}
        </Button>
      )}
    </div>
  )
}

/** useMarkRead marks a conversation read when the window has the focus and its end is visible for a second. */
function useMarkRead(conversation: Conversation, visible: boolean, read: (conversation: Conversation) => Promise<boolean>): void {
  const [focused, setFocused] = useState(document.hasFocus())
  useEffect(() => {
    const change = () => setFocused(document.hasFocus())
    addEventListener('focus', change)
    addEventListener('blur', change)
    return () => {
      removeEventListener('focus', change)
      removeEventListener('blur', change)
    }
  }, [])
  const due = visible && focused && conversation.unread
  useEffect(() => {
    if (!due) return
    const timer = setTimeout(() => void read(conversation), 1000)
    return () => clearTimeout(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- one timer per conversation and state
  }, [due, conversation.id, conversation.unread_count])
}
