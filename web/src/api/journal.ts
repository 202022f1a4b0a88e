import type { QueryClient } from '@tanstack/react-query'

type Journal = { running: Map<string, number>; changes: (() => void)[] }

const journals = new WeakMap<QueryClient, Journal>()

/** First key parts of queries whose responses may be older than a change made while they were in flight. */
const watched: readonly unknown[] = [
  'conversations',
  'conversation',
  'timeline',
]

/**
 * keepChanges reapplies cache changes after responses that were in flight when the change was made: such a response is older
 * than the change, and fetching the next page of a list returns the earlier pages as they were when requested.
 */
export function keepChanges(client: QueryClient): void {
  const journal: Journal = { running: new Map(), changes: [] }
  journals.set(client, journal)
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || !watched.includes(event.query.queryKey[0]))
      return
    const { queryHash } = event.query
    const { action } = event
    if (action.type === 'fetch')
      journal.running.set(queryHash, journal.changes.length)
    if (action.type !== 'success' && action.type !== 'error') return
    if (action.type === 'success' && action.manual) return
    const from = journal.running.get(queryHash)
    journal.running.delete(queryHash)
    if (from !== undefined)
      journal.changes.slice(from).forEach((change) => change())
    if (journal.running.size === 0) journal.changes = []
  })
}

/** change applies a change to the cache, and again after responses that were in flight. It must be idempotent. */
export function change(client: QueryClient, task: () => void): void {
  task()
  const journal = journals.get(client)
  if (journal && journal.running.size > 0) journal.changes.push(task)
}
