import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type { ScheduledMessage } from '../../api/types'
import { personal } from '../../ui/page'
import { useNow } from '../../ui/useNow'

/** How long a failed message is shown unless it is dismissed. */
const failedShownFor = 7 * 24 * 3_600_000

const storageKey = (person: string) => personal('scheduled.dismissed', person)
const watchers = new Set<() => void>()
const dismissed = (person: string) =>
  localStorage.getItem(storageKey(person)) ?? ''

/** dismissScheduled hides a failed message in this browser, for one user. */
export function dismissScheduled(id: string, person: string): void {
  localStorage.setItem(
    storageKey(person),
    [id, ...dismissed(person).split(' ')].slice(0, 50).join(' '),
  )
  watchers.forEach((watcher) => watcher())
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** useScheduled returns a conversation's scheduled messages, next one first, preceded by those that failed. */
export function useScheduled(conversation: string): ScheduledMessage[] {
  const now = useNow()
  const person = useMe().user.id
  const hidden = useSyncExternalStore(watch, () => dismissed(person))
  const all = useQuery({
    queryKey: keys.scheduled(conversation),
    refetchOnWindowFocus: 'always',
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/conversations/{id}/scheduled', {
          params: { path: { id: conversation }, query: { limit: 100 } },
          signal,
        }),
      ).then((page) => page.data),
  }).data
  return (all ?? [])
    .filter(
      (one) =>
        one.status === 'scheduled' ||
        (one.status === 'failed' &&
          now - Date.parse(one.updated_at) < failedShownFor &&
          !hidden.includes(one.id)),
    )
    .sort((a, b) => Date.parse(a.send_at) - Date.parse(b.send_at))
}
