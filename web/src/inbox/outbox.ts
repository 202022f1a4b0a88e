import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { Failure } from '../api/client'
import type { SendBody } from '../api/types'

/** Item is a message or a note that the server has not confirmed. */
export type Item = {
  client_id: string
  conversation: string
  kind: 'message' | 'note'
  body: SendBody
  preview?: string
  mentions?: string[]
  created_at: string
  number: number
}

interface Schema extends DBSchema {
  items: { key: string; value: Item }
}

export type OutboxOptions = {
  deliver: (item: Item) => Promise<void>
  refused: (item: Item, failure: Failure) => void
  wait?: (milliseconds: number) => Promise<void>
  name?: string
  locks?: LockManager
}

/** retryDelay is 1, 2, 4 ... 30 seconds. */
export const retryDelay = (attempt: number) => Math.min(1000 * 2 ** attempt, 30_000)

/**
 * Outbox keeps what is to be sent until the server has it: in order per conversation, with the same client_id in every
 * attempt, across reloads. Of several tabs one sends for a conversation at a time.
 */
export class Outbox {
  private items: Item[] = []
  private readonly watchers = new Set<() => void>()
  private readonly running = new Set<string>()
  private readonly wakers = new Set<() => void>()
  private readonly storing = new Map<string, Promise<void>>() // what this page is putting into the database
  private database: Promise<IDBPDatabase<Schema>>
  private readonly channel: BroadcastChannel
  private stopped = false

  constructor(private readonly options: OutboxOptions) {
    const name = options.name ?? 'recado-outbox'
    this.database = openDB<Schema>(name, 1, { upgrade: (database) => void database.createObjectStore('items', { keyPath: 'client_id' }) })
    this.channel = new BroadcastChannel(name)
    this.channel.onmessage = () => void this.load()
  }

  /** load reads what an earlier page left and goes on sending it. */
  async load(): Promise<void> {
    if (this.stopped) return
    const database = await this.database
    const stored = await database.getAll('items')
    const known = new Set(stored.map((item) => item.client_id))
    const own = this.items.filter((item) => this.storing.has(item.client_id) && !known.has(item.client_id))
    this.items = [...stored, ...own].sort((a, b) => a.number - b.number)
    this.changed()
    for (const conversation of new Set(this.items.map((item) => item.conversation))) void this.pump(conversation)
  }

  /** add keeps an item and sends it; the first attempt does not wait for the disk. */
  async add(item: Omit<Item, 'number'>): Promise<void> {
    const kept = { ...item, number: Math.max(Date.now(), (this.items.at(-1)?.number ?? 0) + 1) }
    this.items = [...this.items, kept]
    this.changed()
    // Where nothing can be stored, the message is sent from memory.
    const stored = this.database.then((database) => database.put('items', kept)).then(() => undefined, () => undefined)
    this.storing.set(kept.client_id, stored)
    void this.pump(item.conversation)
    await stored
    this.storing.delete(kept.client_id)
    if (!this.stopped) this.channel.postMessage('changed')
  }

  /** all is what waits, oldest first; the same array until it changes. */
  all = (): Item[] => this.items

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  /** wake ends the waiting between attempts: the network or the session is back. */
  wake(): void {
    this.wakers.forEach((waker) => waker())
  }

  /** stop leaves everything as it is; another tab or the next page goes on. */
  stop(): void {
    this.stopped = true
    this.channel.close()
    this.wake()
  }

  private changed(): void {
    this.watchers.forEach((watcher) => watcher())
  }

  private async pump(conversation: string): Promise<void> {
    if (this.running.has(conversation)) return
    this.running.add(conversation)
    const locks = this.options.locks ?? (typeof navigator === 'undefined' ? undefined : navigator.locks)
    try {
      if (locks) await locks.request(`recado-outbox ${conversation}`, () => this.drain(conversation))
      else await this.drain(conversation)
    } finally {
      this.running.delete(conversation)
    }
    if (!this.stopped && this.items.some((item) => item.conversation === conversation)) void this.pump(conversation)
  }

  private async drain(conversation: string): Promise<void> {
    for (let attempt = 0; !this.stopped; ) {
      const item = this.items.find((one) => one.conversation === conversation)
      if (!item) return
      if (!this.storing.has(item.client_id) && (await (await this.database).get('items', item.client_id)) === undefined) {
        this.forget(item) // another tab sent it
        continue
      }
      try {
        await this.options.deliver(item)
        await this.remove(item)
        attempt = 0
      } catch (error) {
        if (error instanceof Failure && !error.temporary && error.status !== 401) {
          await this.remove(item)
          this.options.refused(item, error)
          attempt = 0
          continue
        }
        const asked = error instanceof Failure && error.retryAfter !== null ? error.retryAfter * 1000 : 0
        await this.pause(Math.max(asked, retryDelay(attempt++)))
      }
    }
  }

  private async remove(item: Item): Promise<void> {
    await this.storing.get(item.client_id)
    await (await this.database).delete('items', item.client_id)
    this.forget(item)
    if (!this.stopped) this.channel.postMessage('changed')
  }

  private forget(item: Item): void {
    this.items = this.items.filter((one) => one.client_id !== item.client_id)
    this.changed()
  }

  private pause(milliseconds: number): Promise<void> {
    if (this.options.wait) return this.options.wait(milliseconds)
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.wakers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.wakers.add(done)
    })
  }
}
