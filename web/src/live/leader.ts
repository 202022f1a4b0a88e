import type { StreamEvent } from './parse'
import { follow, type StreamState } from './stream'

type Note =
  | { kind: 'event'; event: StreamEvent }
  | { kind: 'state'; state: StreamState; lastId: string | null }
  | { kind: 'ask' }

export type LeaderOptions = {
  url: string
  name: string
  onEvent: (event: StreamEvent) => void
  onState: (state: StreamState) => void
  onLead?: (leads: boolean) => void
  headers?: () => Record<string, string>
  locks?: LockManager
  fetch?: typeof fetch
}

/**
 * share uses one stream for all tabs: the tab that holds the lock reads it and broadcasts every event. When that tab closes,
 * another one gets the lock and resumes after the last event it saw. Without the Locks API, each tab opens its own stream.
 */
export function share(options: LeaderOptions): () => void {
  const end = new AbortController()
  const channel = new BroadcastChannel(options.name)
  let lastId: string | null = null
  let leads = false
  let state: StreamState = 'connecting'
  const take = (event: StreamEvent) => {
    if (event.id !== null) lastId = event.id
    if (event.type !== '') options.onEvent(event)
  }
  const change = (next: StreamState) => {
    state = next
    options.onState(next)
  }
  channel.onmessage = ({ data }: MessageEvent<Note>) => {
    if (leads) {
      if (data.kind === 'ask')
        channel.postMessage({ kind: 'state', state, lastId } satisfies Note)
      return
    }
    if (data.kind === 'event') take(data.event)
    else if (data.kind === 'state') {
      lastId = data.lastId ?? lastId // events this tab missed are in its initial fetches
      change(data.state)
    }
  }
  const lead = async () => {
    if (end.signal.aborted) return
    leads = true
    options.onLead?.(true)
    await follow({
      url: options.url,
      lastId: () => lastId,
      signal: end.signal,
      headers: options.headers,
      fetch: options.fetch,
      onEvent: (event) => {
        take(event)
        channel.postMessage({ kind: 'event', event } satisfies Note)
      },
      onState: (next) => {
        change(next)
        channel.postMessage({
          kind: 'state',
          state: next,
          lastId,
        } satisfies Note)
      },
    })
    // Keep the lock after the server ended the stream, so that no other tab reopens it.
    if (!end.signal.aborted)
      await new Promise((resolve) =>
        end.signal.addEventListener('abort', resolve),
      )
  }
  const locks =
    options.locks ??
    (typeof navigator === 'undefined' ? undefined : navigator.locks)
  if (locks)
    void locks
      .request(options.name, { signal: end.signal }, lead)
      .catch(() => undefined)
  else void lead()
  channel.postMessage({ kind: 'ask' } satisfies Note)
  return () => {
    end.abort()
    options.onLead?.(false)
    channel.close()
  }
}
