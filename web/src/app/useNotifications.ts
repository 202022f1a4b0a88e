import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { defaultPreferences, useCounts, useMe } from '../api/queries'
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

/** useNotifications notifies the user of new messages and targets that are due: browser notification, sound, page title and badge. */
export function useNotifications(): void {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  const { leads } = useConnection()
  const mine = useCounts().data?.unread ?? 0

  useEffect(() => {
    document.title = mine > 0 ? `(${mine}) Recado` : 'Recado'
    const badge = navigator as Navigator & {
      setAppBadge?: (n: number) => Promise<void>
    }
    void badge.setAppBadge?.(mine).catch(() => undefined)
  }, [mine])

  useEffect(() => {
    const ask = () => {
      if ('Notification' in window && Notification.permission === 'default')
        void Notification.requestPermission()
    }
    addEventListener('click', ask, { once: true })
    return () => removeEventListener('click', ask)
  }, [])

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
        addEventListener('blur', shared.tell)
        return () => {
          removeEventListener('focus', shared.tell)
          removeEventListener('blur', shared.tell)
          shared.stop()
        }
      }),
    [me.user.id],
  )
  useEffect(() => tabs.current?.tell(), [pathname])

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
        const shown = new Notification(conversation.name, {
          body,
          tag: conversation.id,
          silent: true,
          icon: document.querySelector<HTMLLinkElement>('link[rel="icon"]')
            ?.href,
        })
        shown.onclick = () => {
          window.focus()
          void navigate({
            to: '/inbox/$view/$conversation',
            params: { view: 'open', conversation: conversation.id },
          })
          shown.close()
        }
      }),
    [client, leads, me, navigate, t],
  )
}
