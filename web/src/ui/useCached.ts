import { hashKey, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'

/** useCached subscribes to a cached query without fetching it. */
export function useCached<T>(key: readonly unknown[]): T | undefined {
  const client = useQueryClient()
  const hash = hashKey(key)
  const watch = useCallback(
    (watcher: () => void) =>
      client.getQueryCache().subscribe(({ query }) => {
        if (query.queryHash === hash) watcher()
      }),
    [client, hash],
  )
  return useSyncExternalStore(
    watch,
    () => client.getQueryCache().get(hash)?.state.data as T | undefined,
  )
}
