import type { QueryClient } from '@tanstack/react-query'
import {
  countsOptions,
  labelsOptions,
  preferencesOptions,
  savedViewsOptions,
  sectorsOptions,
  sessionOptions,
  teamOptions,
} from '../api/queries'
import { conversationsOptions } from '../inbox/list/useConversations'
import { maySession, pagePath } from '../ui/page'
import { screenAt } from './firstScreen'

/** prefetch fetches what the first screen shows. It waits for the counts, which take longest, only if FirstPage needs them. */
export async function prefetch(client: QueryClient): Promise<void> {
  if (!maySession) return
  const { inbox, list, conversation } = screenAt(pagePath(), location.search)
  const counts = client.prefetchQuery(countsOptions)
  const session = client.prefetchQuery(sessionOptions)
  const choice =
    /^\/(inbox)?$/.test(pagePath()) &&
    session.then(() =>
      client.getQueryData(sessionOptions.queryKey)?.user.role === 'agent'
        ? counts
        : undefined,
    )
  await Promise.all([
    session,
    choice,
    client.prefetchQuery(preferencesOptions),
    ...(list ? [client.prefetchInfiniteQuery(conversationsOptions(list))] : []),
    ...(conversation
      ? [import('../inbox/ConversationPane').catch(() => undefined)]
      : []),
    ...(inbox
      ? [
          client.prefetchQuery(sectorsOptions),
          client.prefetchQuery(teamOptions),
          client.prefetchQuery(labelsOptions),
          client.prefetchQuery(savedViewsOptions),
        ]
      : []),
  ])
}
