import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from './client'
import { keys } from './keys'
import { useMe } from './queries'
import type { Presence, Session } from './types'
import { useAttempt } from './useAttempt'

/** The choices of presence: following what the person does, or one that stays until another is chosen. */
export const presences = ['online', 'away', 'offline'] as const

/** presenceText is the name of the text of a choice. */
export const presenceText = {
  online: 'presence.available',
  away: 'presence.goAway',
  offline: 'presence.goOffline',
} as const

/** usePresence gives how the person is shown to colleagues, and a function that changes it. */
export function usePresence(): [
  Presence,
  (presence: Presence) => Promise<boolean>,
] {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const shown = useMe().user.presence
  const [clicked, setClicked] = useState<Presence | null>(null) // it is shown with the click
  const choose = async (presence: Presence) => {
    setClicked(presence)
    const done = await attempt(async () => {
      const changed = await answer(
        api.PUT('/me/presence', {
          body: { presence: presence === 'online' ? 'auto' : presence },
        }),
      )
      client.setQueryData<Session>(
        keys.session,
        (session) =>
          session && { ...session, user: { ...session.user, ...changed } },
      )
      void client.invalidateQueries({ queryKey: keys.team })
    }, t(presenceText[presence]))
    setClicked(null)
    return done
  }
  return [clicked ?? shown, choose]
}
