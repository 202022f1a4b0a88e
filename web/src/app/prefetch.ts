import type { QueryClient } from '@tanstack/react-query'
import { countsOptions, labelsOptions, preferencesOptions, savedViewsOptions, sectorsOptions, sessionOptions, teamOptions } from '../api/queries'
import { conversationsOptions } from '../inbox/useConversations'
import { maySession, pagePath } from '../ui/page'
import { screenAt } from './firstScreen'

/** prefetch puts what the first screen shows into the cache. */
export async function prefetch(client: QueryClient): Promise<void> {
  if (!maySession) return
  const { inbox, list, conversation } = screenAt(pagePath(), location.search)
  await Promise.all([
    client.prefetchQuery(sessionOptions), client.prefetchQuery(preferencesOptions), client.prefetchQuery(countsOptions),
    ...(list ? [client.prefetchInfiniteQuery(conversationsOptions(list))] : []),
    ...(conversation ? [import('../inbox/ConversationPane')] : []),
    ...(inbox ? [client.prefetchQuery(sectorsOptions), client.prefetchQuery(teamOptions), client.prefetchQuery(labelsOptions), client.prefetchQuery(savedViewsOptions)] : []),
  ])
}
