import type { QueryClient } from '@tanstack/react-query'

type Journal = { running: Map<string, number>; changes: (() => void)[] }

const journals = new WeakMap<QueryClient, Journal>()

/** The first words of keys whose answers may be older than a change that came in meanwhile. */
const watched: readonly unknown[] = [
  'conversations',
  'conversation',
  'timeline',
]

/**
 * keepChanges makes changes of the cache outlast answers that were on their way when they were made: the answer was given
 * before the change, and the next page of a list brings the pages before it as they were when it was asked for.
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

/** change changes the cache, and again when an answer arrives that was on its way. Doing it twice must be the same as once. */
export function change(client: QueryClient, task: () => void): void {
  task()
  const journal = journals.get(client)
  if (journal && journal.running.size > 0) journal.changes.push(task)
}
