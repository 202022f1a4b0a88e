// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '../../api/client'
import { Outbox, retryDelay, type Item } from './outbox'

const failure = (status: number, code: string) =>
  new Failure(status, code, code, undefined, [], null)
const open: Outbox[] = []
let names = 0

function make(
  deliver: (item: Item) => Promise<void>,
  name = `outbox-${names++}`,
) {
  const refused: string[] = []
  const waits: number[] = []
  const outbox = new Outbox({
    name,
    deliver,
    refused: (item, reason) =>
      refused.push(`${item.body.text ?? ''}: ${reason.code}`),
    wait: (milliseconds) => {
      waits.push(milliseconds)
      return Promise.resolve()
    },
  })
  open.push(outbox)
  return { outbox, refused, waits, name }
}

const item = (conversation: string, text: string) => {
  const client_id = crypto.randomUUID()
  return {
    client_id,
    conversation,
    kind: 'message' as const,
    body: { client_id, text },
    created_at: new Date().toISOString(),
  }
}

const settled = (outbox: Outbox) =>
  new Promise<void>((resolve) => {
    const done = () => outbox.all().length === 0 && resolve()
    outbox.watch(done)
    done()
  })

afterEach(() => open.splice(0).forEach((outbox) => outbox.stop()))

describe('the outbox', () => {
  it('sends in order within a conversation', async () => {
    const sent: string[] = []
    const { outbox } = make((one) => {
      sent.push(one.body.text ?? '')
      return Promise.resolve()
    })
    await Promise.all(
      ['one', 'two', 'three'].map((text) => outbox.add(item('a', text))),
    )
    await settled(outbox)
    expect(sent).toEqual(['one', 'two', 'three'])
  })

  it('reports a full server disk until a message is stored', async () => {
    const seen: boolean[] = []
    let attempts = 0
    const { outbox } = make(() =>
      ++attempts < 3
        ? Promise.reject(failure(507, 'storage_full'))
        : Promise.resolve(),
    )
    outbox.watch(() => {
      if (seen.at(-1) !== outbox.serverFull()) seen.push(outbox.serverFull())
    })
    await outbox.add(item('a', 'hello'))
    await settled(outbox)
    expect(seen).toEqual([false, true, false])
    expect(attempts).toBe(3)
  })

  it('retries with the same client_id and growing pauses', async () => {
    const attempts: string[] = []
    const { outbox, waits } = make((one) => {
      attempts.push(one.body.client_id)
      return attempts.length < 4
        ? Promise.reject(failure(0, 'offline'))
        : Promise.resolve()
    })
    await outbox.add(item('a', 'hello'))
    await settled(outbox)
    expect(new Set(attempts).size).toBe(1)
    expect(waits).toEqual([1000, 2000, 4000])
    expect(retryDelay(9)).toBe(30_000)
  })

  it('reports how a message ended', async () => {
    const { outbox } = make((one) =>
      one.body.text === 'bad'
        ? Promise.reject(failure(409, 'contact_blocked'))
        : Promise.resolve(),
    )
    const [bad, good] = [item('a', 'bad'), item('a', 'good')]
    const endings = [bad, good].map((one) => outbox.ending(one.client_id))
    void outbox.add(bad)
    void outbox.add(good)
    expect(await Promise.all(endings)).toEqual([false, true])
  })

  it('returns a rejected message and continues with the next one', async () => {
    const sent: string[] = []
    const { outbox, refused } = make((one) => {
      if (one.body.text === 'bad')
        return Promise.reject(failure(409, 'contact_blocked'))
      sent.push(one.body.text ?? '')
      return Promise.resolve()
    })
    await outbox.add(item('a', 'bad'))
    await outbox.add(item('a', 'good'))
    await settled(outbox)
    expect(refused).toEqual(['bad: contact_blocked'])
    expect(sent).toEqual(['good'])
  })

  it('keeps unsent messages for the next page', async () => {
    const first = make(() => new Promise(() => undefined))
    await first.outbox.add(item('a', 'kept'))
    first.outbox.stop()
    const sent: string[] = []
    const second = make((one) => {
      sent.push(one.body.text ?? '')
      return Promise.resolve()
    }, first.name)
    await second.outbox.load()
    await settled(second.outbox)
    expect(sent).toEqual(['kept'])
  })

  it('sends from memory if nothing can be stored, and reports it', async () => {
    for (const broken of ['open', 'put'] as const) {
      const real = {
        open: indexedDB.open.bind(indexedDB),
        put: IDBObjectStore.prototype.put,
      }
      const refuse = () => {
        throw new DOMException('no room', 'QuotaExceededError')
      }
      if (broken === 'open') indexedDB.open = refuse
      else IDBObjectStore.prototype.put = refuse
      const sent: string[] = []
      let attempts = 0
      let online = () => {}
      const back = new Promise<void>((resolve) => (online = resolve))
      const { outbox } = make((one) =>
        attempts++ < 3
          ? Promise.reject(failure(0, 'offline'))
          : back.then(() => void sent.push(one.body.text ?? '')),
      )
      try {
        await outbox.load()
        await outbox.add(item('a', 'one'))
        await outbox.add(item('a', 'two'))
        await outbox.load() // another tab reported a change
        expect([outbox.all().length, outbox.unsafe(), outbox.losing()]).toEqual(
          [2, true, true],
        )
        online()
        await settled(outbox)
        expect([sent, outbox.losing()]).toEqual([['one', 'two'], false])
      } finally {
        indexedDB.open = real.open
        IDBObjectStore.prototype.put = real.put
      }
    }
  })

  it('does not resend what another tab has sent', async () => {
    const sent: string[] = []
    const deliver = (one: Item) => {
      sent.push(one.body.text ?? '')
      return sent.length === 1
        ? Promise.reject(failure(503, 'unavailable'))
        : Promise.resolve()
    }
    const first = make(() => Promise.reject(failure(403, 'session_changed')))
    first.outbox.hold()
    await first.outbox.add(item('a', 'once'))
    const second = make(deliver, first.name)
    await second.outbox.load()
    await settled(second.outbox)
    await settled(first.outbox) // reported by the other tab
    first.outbox.resume()
    expect(sent).toEqual(['once', 'once']) // the second attempt of one tab
  })

  it('pauses while another user is signed in and sends when the author is back', async () => {
    const sent: string[] = []
    let person = 'caio'
    const { outbox, refused } = make((one) => {
      if (person !== 'ana') {
        outbox.hold() // as the page does when another user signs in
        return Promise.reject(failure(403, 'session_changed'))
      }
      sent.push(one.body.text ?? '')
      return Promise.resolve()
    })
    await outbox.add(item('a', 'from Ana'))
    expect([sent, refused, outbox.all().length]).toEqual([[], [], 1])
    person = 'ana'
    await outbox.load()
    expect(sent).toEqual([])
    outbox.resume()
    await settled(outbox)
    expect(sent).toEqual(['from Ana'])
  })

  it('leaves nothing behind when it is cleared', async () => {
    const { outbox, name } = make(() => new Promise(() => undefined))
    await outbox.add(item('a', 'secret'))
    await outbox.clear()
    expect(outbox.all()).toEqual([])
    const next = make(() => Promise.resolve(), name)
    await next.outbox.load()
    expect(next.outbox.all()).toEqual([])
  })

  it('sends conversations independently', async () => {
    const sent: string[] = []
    const { outbox } = make((one) => {
      if (one.conversation === 'stuck') return new Promise(() => undefined)
      sent.push(one.body.text ?? '')
      return Promise.resolve()
    })
    await outbox.add(item('stuck', 'x'))
    await outbox.add(item('free', 'y'))
    await new Promise<void>((resolve) => {
      const check = () => sent.length > 0 && resolve()
      outbox.watch(check)
      check()
    })
    expect(sent).toEqual(['y'])
  })
})
