import {
  notifyManager,
  QueryClient,
  queryOptions,
  useQuery,
} from '@tanstack/react-query'
import { createContext, useContext, useEffect, useMemo, useState } from 'react'
import { maySession } from '../ui/page'
import { afterPaint } from '../ui/parts'
import { api, Failure, unwrap } from './client'
import { keepChanges } from './journal'
import { keys } from './keys'
import type {
  Channel,
  CustomField,
  FieldEntity,
  Label,
  Preferences,
  Session,
} from './types'

// Notify subscribers synchronously: a switch that reacts late feels broken.
notifyManager.setScheduler(queueMicrotask)

/** makeQueryClient creates a client that keeps data until a live update changes it; nothing is polled. */
export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) =>
          count < 3 && error instanceof Failure && error.temporary,
        retryDelay: (count) => Math.min(1000 * 2 ** count, 8000),
      },
      mutations: { retry: false },
    },
  })
  keepChanges(client)
  return client
}

export const defaultPreferences: Preferences = {
  language: 'pt-BR',
  language_chosen: false,
  theme: 'system',
  send_with: 'enter',
  mark_read: 'opening',
  sound: 'chime',
  notify: 'mine_and_queues',
  shortcuts: true,
  sign: false,
  push: {
    kinds: ['message', 'assigned', 'mention', 'queue', 'failed', 'sla'],
    quiet: null,
  },
}

export const sessionOptions = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ client }): Promise<Session | null> => {
    if (!maySession && client.getQueryData(keys.session) === undefined)
      return null
    try {
      return await unwrap(api.GET('/session'))
    } catch (error) {
      // Keep the old session in the cache, so that the page stays as it is while the user signs in again.
      if (
        error instanceof Failure &&
        (error.status === 401 || error.code === 'session_changed')
      )
        return client.getQueryData<Session>(keys.session) ?? null
      throw error
    }
  },
})

const list = <T>(
  call: Promise<{ data?: { data: T[] }; error?: unknown; response: Response }>,
) => unwrap(call).then((page) => page.data)

/** Me provides the session to everything below the gate. */
export const Me = createContext<Session | null>(null)

/** useMe returns the session of the signed-in user. */
export function useMe(): Session {
  const session = useContext(Me)
  if (!session) throw new Error('no session')
  return session
}

export const rulesOptions = queryOptions({
  queryKey: keys.rules,
  queryFn: () => unwrap(api.GET('/company/attendance')),
})
export const countsOptions = queryOptions({
  queryKey: keys.counts,
  queryFn: () => unwrap(api.GET('/inbox/counts')),
})
export const channelsOptions = queryOptions({
  queryKey: keys.channels,
  queryFn: () => list(api.GET('/channels')),
})
export const labelsOptions = queryOptions({
  queryKey: keys.labels,
  queryFn: () => list(api.GET('/labels')),
})
export const policiesOptions = queryOptions({
  queryKey: keys.policies,
  queryFn: () => list(api.GET('/sla-policies')),
})
export const reasonsOptions = queryOptions({
  queryKey: keys.reasons,
  queryFn: () => list(api.GET('/closing-reasons')),
})
/** allFields loads the fields of all entities, which can be more than a page. */
async function allFields(): Promise<CustomField[]> {
  const fields: CustomField[] = []
  let cursor: string | null | undefined
  do {
    const page = await unwrap(
      api.GET('/fields', {
        params: { query: { limit: 100, ...(cursor && { cursor }) } },
      }),
    )
    fields.push(...page.data)
    cursor = page.next_cursor
  } while (cursor)
  return fields
}
export const fieldsOptions = queryOptions({
  queryKey: keys.fields,
  queryFn: allFields,
})
export const teamOptions = queryOptions({
  queryKey: keys.team,
  queryFn: () => list(api.GET('/team')),
})
export const sectorsOptions = queryOptions({
  queryKey: keys.sectors,
  queryFn: () => list(api.GET('/sectors')),
})
export const savedViewsOptions = queryOptions({
  queryKey: keys.views,
  queryFn: () => list(api.GET('/views')),
})
export const preferencesOptions = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => unwrap(api.GET('/me/preferences')),
})

export const useCounts = () => useQuery(countsOptions)
export const useChannels = () => useQuery(channelsOptions)
export const useLabels = () => useQuery(labelsOptions)
export const useReasons = () => useQuery(reasonsOptions)

const noFields: CustomField[] = []

/** useFields returns the custom fields of contacts, cases or cards in their order; none until they are loaded. */
export function useFields(entity: FieldEntity): CustomField[] {
  const { data } = useQuery(fieldsOptions)
  return useMemo(
    () => data?.filter((one) => one.entity === entity) ?? noFields,
    [data, entity],
  )
}
export const useTeam = () => useQuery(teamOptions)
export const useBoards = () =>
  useQuery({
    queryKey: keys.boards,
    queryFn: () => unwrap(api.GET('/kanban/boards')),
  })
export const useSectors = () => useQuery(sectorsOptions)
export const useSavedViews = () => useQuery(savedViewsOptions)
export const useReplies = () =>
  useQuery({ queryKey: keys.replies, queryFn: () => list(api.GET('/replies')) })

/** useDrawn reports whether the page is rendered. What is not part of the first screen is fetched afterwards. */
function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(false)
  useEffect(() => afterPaint(() => setDrawn(true)), [])
  return drawn
}

/** useHasPolicies reports whether the company has service levels. */
export function useHasPolicies(): boolean {
  const may = useMe().scopes.includes('attendances:read')
  const enabled = useDrawn() && may
  return (useQuery({ ...policiesOptions, enabled }).data?.length ?? 0) > 0
}

/** useUnreadNotifications returns the number of unread notifications. It is fetched after the page is rendered. */
export function useUnreadNotifications(): number {
  const drawn = useDrawn()
  const count = useQuery({
    queryKey: keys.unreadNotifications,
    enabled: drawn,
    queryFn: () =>
      unwrap(
        api.GET('/me/notifications', {
          params: { query: { unread: 'true', limit: 1 } },
        }),
      ).then((page) => page.unread_count),
  })
  return count.data ?? 0
}

/** usePreferences returns the defaults until the user's preferences are loaded. */
export function usePreferences(): Preferences {
  return useQuery(preferencesOptions).data ?? defaultPreferences
}

/** RowNames looks up the names shown in a row by id. */
export type RowNames = {
  person: (id: string | null) => string | undefined
  sector: (id: string | null) => string | undefined
  label: (id: string) => Label | undefined
}

const byId = <T extends { id: string }>(all: T[] | undefined) =>
  new Map(all?.map((one) => [one.id, one]))

/** useRowNames looks up the names of people, departments and labels. The result is stable until one of them changes. */
export function useRowNames(): RowNames {
  const team = useTeam().data
  const sectors = useSectors().data
  const labels = useLabels().data
  return useMemo(() => {
    const [people, parts, tags] = [byId(team), byId(sectors), byId(labels)]
    return {
      person: (id) => people.get(id ?? '')?.name,
      sector: (id) => parts.get(id ?? '')?.name,
      label: (id) => tags.get(id),
    }
  }, [team, sectors, labels])
}

/** Names also looks up channels. */
export type Names = RowNames & {
  channel: (id: string | null) => Channel | undefined
}

/** useNames also looks up the names of channels. */
export function useNames(): Names {
  const names = useRowNames()
  const channels = useChannels().data
  return useMemo(() => {
    const known = byId(channels)
    return { ...names, channel: (id) => known.get(id ?? '') }
  }, [names, channels])
}
