import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { maySession } from '../ui/page'
import { answer, api, Failure } from './client'
import { keys } from './keys'
import { has } from './planned'
import type { Preferences, Session } from './types'

/** makeQueryClient keeps answers until a live update changes them: nothing is polled. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) => count < 3 && error instanceof Failure && error.temporary,
        retryDelay: (count) => Math.min(1000 * 2 ** count, 8000),
      },
      mutations: { retry: false },
    },
  })
}

export const defaultPreferences: Preferences = {
  language: 'pt-BR', theme: 'system', send_with: 'enter', mark_read: 'opening', sound: 'chime', notify: 'mine_and_queues', shortcuts: true, sign: false,
}

export const sessionOptions = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ client }): Promise<Session | null> => {
    if (!maySession && client.getQueryData(keys.session) === undefined) return null
    try {
      return await answer(api.GET('/session'))
    } catch (error) {
      // A session that ended stays known, so that the page stays as it is while the person signs in again.
      if (error instanceof Failure && error.status === 401) return client.getQueryData<Session>(keys.session) ?? null
      throw error
    }
  },
})

const list = <T>(call: Promise<{ data?: { data: T[] }; error?: unknown; response: Response }>) => answer(call).then((page) => page.data)

/** useMe is the signed-in session; it is read only below the gate that waits for it. */
export function useMe() {
  const session = useQuery(sessionOptions).data
  if (!session) throw new Error('no session')
  return session
}

export const useCounts = () => useQuery({ queryKey: keys.counts, queryFn: () => answer(api.GET('/inbox/counts')) })
export const useChannels = () => useQuery({ queryKey: keys.channels, queryFn: () => list(api.GET('/channels')) })
export const useLabels = () => useQuery({ queryKey: keys.labels, queryFn: () => list(api.GET('/labels')) })
export const useTeam = () => useQuery({ queryKey: keys.team, queryFn: () => list(api.GET('/team')) })
export const useBoards = () => useQuery({ queryKey: keys.boards, queryFn: () => answer(api.GET('/kanban/boards')) })
export const useSectors = () => useQuery({ queryKey: keys.sectors, queryFn: () => list(api.GET('/sectors')) })
export const useSavedViews = () => useQuery({ queryKey: keys.views, queryFn: () => list(api.GET('/views')) })
export const useReplies = () => useQuery({ queryKey: keys.replies, enabled: has.replies, queryFn: () => list(api.GET('/replies')) })

/** usePreferences gives the defaults until the person's own are loaded. */
export function usePreferences(): Preferences {
  const { data } = useQuery({ queryKey: keys.preferences, queryFn: () => answer(api.GET('/me/preferences')) })
  return data ?? defaultPreferences
}

/** useNames finds the names behind the ids of people, sectors, labels and channels. */
export function useNames() {
  const team = useTeam().data
  const sectors = useSectors().data
  const labels = useLabels().data
  const channels = useChannels().data
  const find = <T extends { id: string }>(all: T[] | undefined, id: string | null | undefined) => (id ? all?.find((one) => one.id === id) : undefined)
  return {
    person: (id: string | null) => find(team, id)?.name,
    sector: (id: string | null) => find(sectors, id)?.name,
    label: (id: string) => find(labels, id),
    channel: (id: string | null) => find(channels, id),
  }
}
