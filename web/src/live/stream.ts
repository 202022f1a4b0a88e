import { Parser, type StreamEvent } from './parse'

export type StreamState = 'connecting' | 'open' | 'waiting' | 'ended'

export type StreamOptions = {
  url: string
  lastId: () => string | null
  onEvent: (event: StreamEvent) => void
  onState: (state: StreamState) => void
  signal: AbortSignal
  headers?: () => Record<string, string>
  fetch?: typeof fetch
  silence?: number
}

/** After this long without data the connection counts as lost; the server sends a comment every 15 seconds. */
export const silenceLimit = 30_000

/** backoff returns the delay before the next attempt: 0.5 s, 1 s, 2 s ... 15 s. */
export const backoff = (failures: number) =>
  Math.min(500 * 2 ** Math.max(0, failures - 1), 15_000)

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      globalThis.removeEventListener?.('online', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
    globalThis.addEventListener?.('online', done) // retry as soon as the browser is online
  })
}

/** follow reads the stream and reconnects until the signal aborts or the server rejects the session. */
export async function follow(options: StreamOptions): Promise<void> {
  let failures = 0
  while (!options.signal.aborted) {
    options.onState('connecting')
    const outcome = await attempt(options, () => {
      failures = 0
    })
    if (outcome === 'ended') {
      options.onState('ended')
      return
    }
    if (options.signal.aborted) return
    failures++
    options.onState('waiting')
    await pause(backoff(failures), options.signal)
  }
}

/**
 * watchSilence calls lost after a period of silence. It compares clock times and checks again when the page becomes visible or the
 * browser goes online, because timers do not run while a computer sleeps.
 */
function watchSilence(limit: number, lost: () => void) {
  let heardAt = Date.now()
  const look = () => {
    if (Date.now() - heardAt > limit) lost()
  }
  const timer = setInterval(look, Math.min(limit / 4, 5000))
  const moments = ['online', 'pageshow', 'focus'] as const
  moments.forEach((moment) => globalThis.addEventListener?.(moment, look))
  return {
    heard: () => {
      heardAt = Date.now()
    },
    stop: () => {
      clearInterval(timer)
      moments.forEach((moment) =>
        globalThis.removeEventListener?.(moment, look),
      )
    },
  }
}

async function attempt(
  options: StreamOptions,
  opened: () => void,
): Promise<'lost' | 'ended'> {
  const connection = new AbortController()
  const abort = () => connection.abort()
  options.signal.addEventListener('abort', abort)
  const silence = watchSilence(options.silence ?? silenceLimit, abort)
  try {
    const id = options.lastId()
    const response = await (options.fetch ?? fetch)(options.url, {
      headers: {
        Accept: 'text/event-stream',
        ...(id ? { 'Last-Event-ID': id } : {}),
        ...options.headers?.(),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: connection.signal,
    })
    if (response.status === 401 || response.status === 403) return 'ended'
    if (!response.ok || !response.body) return 'lost'
    opened()
    options.onState('open')
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parser = new Parser()
    for (;;) {
      const { value, done } = await reader.read()
      silence.heard()
      if (done) return 'lost'
      for (const event of parser.push(
        decoder.decode(value, { stream: true }),
      )) {
        options.onEvent(event)
        if (event.type === 'session') return 'ended'
      }
    }
  } catch {
    return 'lost'
  } finally {
    silence.stop()
    options.signal.removeEventListener('abort', abort)
    connection.abort()
  }
}
