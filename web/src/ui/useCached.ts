import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

/** useCached follows what another part of the page has loaded, without loading it. */
export function useCached<T>(key: readonly unknown[]): T | undefined {
  const client = useQueryClient()
  return useSyncExternalStore(
    (watcher) => client.getQueryCache().subscribe(watcher),
    () => client.getQueryData<T>(key),
  )
}
