import { createServer, type IncomingHttpHeaders } from 'node:http'

export type Received = { headers: IncomingHttpHeaders; body: string }

/** Receiver is a webhook receiver on loopback with a configurable status. */
export async function receiver() {
  const received: Received[] = []
  const waiting: ((one: Received) => void)[] = []
  const state = { status: 204 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += String(piece)))
    request.on('end', () => {
      response.writeHead(state.status).end()
      const one = { headers: request.headers, body }
      const next = waiting.shift()
      if (next) next(one)
      else received.push(one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`,
    state,
    /** next waits for a request. */
    next: () => {
      const one = received.shift()
      return one
        ? Promise.resolve(one)
        : new Promise<Received>((resolve) => waiting.push(resolve))
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
