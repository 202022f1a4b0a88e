import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { keepPush } from '../api/push'
import {
  defaultPreferences,
  useCounts,
  useMe,
  useUnreadNotifications,
} from '../api/queries'
import type {
  Attendance,
  Conversation,
  Message,
  Preferences,
  Session,
} from '../api/types'
import { dueText } from '../inbox/due'
import { preview } from '../inbox/preview'
import { eventData } from '../live/apply'
import type { StreamEvent } from '../live/parse'
import { onLiveEvent, useConnection } from '../live/useLive'
import { shareView } from '../live/tabs'
import { personal } from '../ui/page'
import { soon } from '../ui/parts'
import { playSound } from '../ui/sound'
import { activeWorker } from '../ui/worker'

/** concerns reports whether the user wants to be notified of a message. */
export function concerns(
  conversation: Conversation,
  notify: Preferences['notify'],
  me: Session,
): boolean {
  if (conversation.muted || notify === 'nothing') return false
  if (notify === 'everything' || conversation.assignee === me.user.id)
    return true
  return (
    conversation.assignee === null &&
    (conversation.sector === null ||
      me.user.sectors.some((sector) => sector.id === conversation.sector))
  )
}

/** openConversation returns the id of the conversation in a path. */
const openConversation = (path: string) =>
  /\/inbox\/[^/]+\/([^/]+)$/.exec(path)?.[1] ?? null

type Level = NonNullable<Attendance['sla']>

/** noticeOf returns the text of a new message, or which target of a case is due. Other events have none. */
export function noticeOf(
  event: StreamEvent,
  t: TFunction,
): { conversation?: Conversation; body: string } {
  const { message, conversation, attendance, target } = eventData(event) as {
    message?: Message
    conversation?: Conversation
    attendance?: Attendance
    target?: 'first' | 'next' | 'resolution'
  }
  if (event.type === 'message.received')
    return { conversation, body: message ? preview(message, t) : '' }
  if (
    event.type !== 'attendance.sla_warning' &&
    event.type !== 'attendance.sla_breached'
  )
    return { conversation, body: '' }
  const due = target && attendance?.sla?.[target satisfies keyof Level]
  return {
    conversation,
    body: due
      ? dueText({ target, due_at: due.due_at, state: due.state }, Date.now(), t)
      : '',
  }
}

/**
 * show shows a browser notification. The service worker shows it if there is one, so that it and a push about the same conversation
 * replace each other, and because Android allows no other way.
 */
async function show(
  title: string,
  body: string,
  conversation: string,
  open: () => unknown,
): Promise<void> {
  const options = {
    body,
    tag: conversation,
    silent: true, // the page plays the sound
    icon: document.querySelector<HTMLLinkElement>(
      'link[rel="apple-touch-icon"]',
    )?.href,
    data: { conversation, shown_at: Date.now() }, // see worker/sw.ts
  }
  const worker = await activeWorker()
  if (worker) return worker.showNotification(title, options)
  const shown = new Notification(title, options)
  shown.onclick = () => {
    window.focus()
    open()
    shown.close()
  }
}

/** closeShown closes the notifications of the conversation that the user is looking at. */
function closeShown(): void {
  const tag = openConversation(location.pathname)
  if (!tag || !document.hasFocus()) return
  void activeWorker()
    .then((worker) => worker?.getNotifications({ tag }))
    .then((shown) => shown?.forEach((one) => one.close()))
}

/** useNotifications notifies the user of new messages and targets that are due: browser notification, sound, page title and badge. */
export function useNotifications(): void {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  const { leads } = useConnection()
  const mine = useCounts().data?.unread ?? 0

  const unread = useUnreadNotifications()

  useEffect(() => {
    document.title = mine > 0 ? `(${mine}) Recado` : 'Recado'
  }, [mine])

  useEffect(() => {
    if (!('setAppBadge' in navigator)) return
    void (
      unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()
    ).catch(() => undefined)
  }, [unread])

  useEffect(() => {
    const timer = setTimeout(
      () => void keepPush(me.user.id).catch(() => undefined), // the next start tries again
      3000,
    )
    return () => clearTimeout(timer)
  }, [me.user.id])

  const { pathname } = useLocation()
  const tabs = useRef<ReturnType<typeof shareView>>(null)
  useEffect(
    () =>
      soon(() => {
        const shared = shareView(
          () => ({
            focused: document.hasFocus(),
            conversation: openConversation(location.pathname),
          }),
          personal('view', me.user.id),
        )
        tabs.current = shared
        addEventListener('focus', shared.tell)
        addEventListener('focus', closeShown)
        addEventListener('blur', shared.tell)
        return () => {
          removeEventListener('focus', shared.tell)
          removeEventListener('focus', closeShown)
          removeEventListener('blur', shared.tell)
          shared.stop()
        }
      }),
    [me.user.id],
  )
  useEffect(() => {
    tabs.current?.tell()
    closeShown()
  }, [pathname])

  useEffect(
    () =>
      onLiveEvent((event) => {
        if (!leads) return
        const { conversation, body } = noticeOf(event, t)
        const preferences =
          client.getQueryData<Preferences>(keys.preferences) ??
          defaultPreferences
        if (
          !body ||
          !conversation ||
          !concerns(conversation, preferences.notify, me)
        )
          return
        const focused = (tabs.current?.views() ?? []).filter(
          (view) => view.focused,
        )
        if (focused.some((view) => view.conversation === conversation.id))
          return
        playSound(preferences.sound)
        if (
          focused.length > 0 ||
          !('Notification' in window) ||
          Notification.permission !== 'granted'
        )
          return
        void show(conversation.name, body, conversation.id, () =>
          navigate({
            to: '/inbox/$view/$conversation',
            params: { view: 'open', conversation: conversation.id },
          }),
        )
      }),
    [client, leads, me, navigate, t],
  )
}
