import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { defaultPreferences, useCounts, useMe } from '../api/queries'
import type { Conversation, Message, Preferences, Session } from '../api/types'
import { preview } from '../inbox/preview'
import { eventData } from '../live/apply'
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

/** useNotifications notifies the user of new messages: browser notification, sound, page title and badge. */
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
        if (event.type !== 'message.received' || !leads) return
        const { message, conversation } = eventData(event) as {
          message?: Message
          conversation?: Conversation
        }
        const preferences =
          client.getQueryData<Preferences>(keys.preferences) ??
          defaultPreferences
        if (
          !message ||
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
          body: preview(message, t),
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
