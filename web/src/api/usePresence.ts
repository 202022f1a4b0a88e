import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from './client'
import { keys } from './keys'
import { useMe } from './queries'
import type { Presence, Session } from './types'
import { useAttempt } from './useAttempt'

/** The presence choices: automatic, or a fixed one. */
export const presences = ['online', 'away', 'offline'] as const

/** presenceText maps each choice to its catalogue key. */
export const presenceText = {
  online: 'presence.available',
  away: 'presence.goAway',
  offline: 'presence.goOffline',
} as const

/** usePresence returns the user's presence and a function that changes it. */
export function usePresence(): [
  Presence,
  (presence: Presence) => Promise<boolean>,
] {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const shown = useMe().user.presence
  const [clicked, setClicked] = useState<Presence | null>(null) // shown immediately
  const choose = async (presence: Presence) => {
    setClicked(presence)
    const done = await attempt(async () => {
      const changed = await unwrap(
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
