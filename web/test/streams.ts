type Request = {
  lastId: string | null
  push: (text: string) => void
  end: () => void
}

/** server imitates a stream server: requests wait in a list until the test responds. */
export function server() {
  const requests: Request[] = []
  const waiting: ((request: Request) => void)[] = []
  const answer = ((_: unknown, init?: RequestInit) => {
    let control: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (given) => void (control = given),
    })
    init?.signal?.addEventListener('abort', () => {
      try {
        control.error(new Error('aborted'))
      } catch {
        // already closed
      }
    })
    const request = {
      lastId: new Headers(init?.headers).get('Last-Event-ID'),
      push: (text: string) => control.enqueue(new TextEncoder().encode(text)),
      end: () => control.close(),
    }
    const next = waiting.shift()
    if (next) next(request)
    else requests.push(request)
    return Promise.resolve(new Response(body, { status: 200 }))
  }) as typeof fetch
  const next = () =>
    new Promise<Request>((resolve) => {
      const request = requests.shift()
      if (request) resolve(request)
      else waiting.push(resolve)
    })
  return { fetch: answer, next }
}
