import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { Failure } from '../../api/client'
import type { SendBody } from '../../api/types'

/** Item is a message or note that the server has not confirmed. */
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
  name: string
  locks?: LockManager
}

/** retryDelay returns 1, 2, 4 ... 30 seconds. */
export const retryDelay = (attempt: number) =>
  Math.min(1000 * 2 ** attempt, 30_000)

/** open opens the outbox database. It returns null if the browser offers none, as in some private windows. */
async function open(name: string): Promise<IDBPDatabase<Schema> | null> {
  try {
    return await openDB<Schema>(name, 1, {
      upgrade: (database) =>
        void database.createObjectStore('items', { keyPath: 'client_id' }),
    })
  } catch {
    return null
  }
}

/** isPermanent reports whether an error is permanent. A missing session is not. */
const isPermanent = (failure: Failure) =>
  !failure.temporary &&
  failure.status !== 401 &&
  failure.code !== 'session_changed'

/**
 * Outbox stores messages until the server has confirmed them: in order per conversation, with the same client_id in every attempt,
 * and across reloads. Only one tab at a time sends for a conversation. Items that cannot be stored are sent from memory.
 */
export class Outbox {
  private items: Item[] = []
  private readonly watchers = new Set<() => void>()
  private readonly running = new Set<string>()
  private readonly wakers = new Set<() => void>()
  private readonly storing = new Map<string, Promise<void>>() // being written to the database by this page
  private readonly stored = new Set<string>() // items that were in the database; only these can have been sent by another tab
  private readonly finished = new Set<string>() // items that this page has sent or returned, even if their row still exists
  private readonly endings = new Map<string, (sent: boolean) => void>() // callers that wait for an item
  private readonly database: Promise<IDBPDatabase<Schema> | null>
  private readonly channel: BroadcastChannel
  private unavailable = false
  private full = false
  private held = false
  private stopped = false

  constructor(private readonly options: OutboxOptions) {
    this.database = open(options.name)
    void this.database.then((database) => {
      this.unavailable = database === null
      this.changed()
    })
    this.channel = new BroadcastChannel(options.name)
    this.channel.onmessage = () => void this.load()
  }

  /** load reads the items an earlier page left and continues sending them. */
  async load(): Promise<void> {
    if (this.stopped) return
    const before = new Set(this.stored)
    const rows = await this.attempt((database) => database.getAll('items'))
    if (rows) {
      const found = rows.filter((item) => !this.finished.has(item.client_id))
      found.forEach((item) => this.stored.add(item.client_id))
      const ids = new Set(found.map((item) => item.client_id))
      const own = this.items.filter(
        (item) => !ids.has(item.client_id) && !before.has(item.client_id),
      )
      this.items = [...found, ...own].sort((a, b) => a.number - b.number)
      this.changed()
    }
    this.pumpAll()
  }

  /** add stores an item and sends it. The first attempt does not wait for the database. */
  async add(item: Omit<Item, 'number'>): Promise<void> {
    const kept = {
      ...item,
      number: Math.max(Date.now(), (this.items.at(-1)?.number ?? 0) + 1),
    }
    this.items = [...this.items, kept]
    const stored = this.store(kept)
    this.storing.set(kept.client_id, stored)
    this.changed()
    void this.pump(item.conversation)
    await stored
    this.storing.delete(kept.client_id)
    this.changed()
    this.tell()
  }

  /** ending resolves when an item is no longer pending: to true once the server has it, to false if it was rejected or discarded. */
  ending(client_id: string): Promise<boolean> {
    return new Promise((resolve) => this.endings.set(client_id, resolve))
  }

  /** all returns the pending items, oldest first. The array is stable until it changes. */
  all = (): Item[] => this.items

  /** unsafe reports whether pending items are lost when the page is closed, because this browser cannot store them. */
  unsafe = (): boolean =>
    this.unavailable || this.items.some((item) => this.atRisk(item))

  /** losing reports whether something would be lost now. */
  losing = (): boolean => this.items.some((item) => this.atRisk(item))

  /** serverFull reports whether the server rejected items because its disk is full. */
  serverFull = (): boolean => this.full && this.items.length > 0

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  /** wake retries immediately, because the network or the session is back. */
  wake(): void {
    this.wakers.forEach((waker) => waker())
  }

  /** hold pauses sending until resume is called, because another user is signed in. */
  hold(): void {
    this.held = true
    this.wake()
  }

  resume(): void {
    this.held = false
    this.wake()
    this.pumpAll()
  }

  /** clear discards all pending items, in the user's other tabs as well. */
  async clear(): Promise<void> {
    this.items.forEach((item) => {
      this.finished.add(item.client_id)
      this.end(item, false)
    })
    this.items = []
    this.changed()
    await Promise.all(this.storing.values())
    await this.attempt((database) => database.clear('items'))
    this.tell()
  }

  /** stop leaves everything to another tab or the next page. */
  stop(): void {
    this.stopped = true
    this.channel.close()
    this.wake()
  }

  private atRisk(item: Item): boolean {
    return !this.stored.has(item.client_id) && !this.storing.has(item.client_id)
  }

  /** attempt runs a database operation and returns undefined if it fails. */
  private async attempt<T>(
    task: (database: IDBPDatabase<Schema>) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const database = await this.database
      return database ? await task(database) : undefined
    } catch {
      return undefined
    }
  }

  private async store(item: Item): Promise<void> {
    if (
      (await this.attempt((database) => database.put('items', item))) !==
      undefined
    )
      this.stored.add(item.client_id)
  }

  private changed(): void {
    this.watchers.forEach((watcher) => watcher())
  }

  private tell(): void {
    if (!this.stopped) this.channel.postMessage('changed')
  }

  private pumpAll(): void {
    for (const conversation of new Set(
      this.items.map((item) => item.conversation),
    ))
      void this.pump(conversation)
  }

  private async pump(conversation: string): Promise<void> {
    if (this.held || this.running.has(conversation)) return
    this.running.add(conversation)
    const locks =
      this.options.locks ??
      (typeof navigator === 'undefined' ? undefined : navigator.locks)
    try {
      if (locks)
        await locks.request(`${this.options.name} ${conversation}`, () =>
          this.drain(conversation),
        )
      else await this.drain(conversation)
    } finally {
      this.running.delete(conversation)
    }
    if (
      !this.stopped &&
      this.items.some((item) => item.conversation === conversation)
    )
      void this.pump(conversation)
  }

  private async drain(conversation: string): Promise<void> {
    for (let attempt = 0; !this.stopped && !this.held;) {
      const item = this.items.find((one) => one.conversation === conversation)
      if (!item) return
      if (await this.sentElsewhere(item)) {
        this.forget(item)
        this.end(item, true)
        continue
      }
      try {
        await this.options.deliver(item)
        this.full = false
        await this.remove(item)
        this.end(item, true)
        attempt = 0
      } catch (error) {
        if (error instanceof Failure && isPermanent(error)) {
          await this.remove(item)
          this.end(item, false)
          this.options.refused(item, error)
          attempt = 0
          continue
        }
        this.full = error instanceof Failure && error.code === 'storage_full'
        this.changed()
        const asked =
          error instanceof Failure && error.retryAfter !== null
            ? error.retryAfter * 1000
            : 0
        if (!this.held) await this.pause(Math.max(asked, retryDelay(attempt++)))
      }
    }
  }

  /** sentElsewhere reports whether another tab removed a stored item from the database. */
  private async sentElsewhere(item: Item): Promise<boolean> {
    if (!this.stored.has(item.client_id)) return false
    return (
      (await this.attempt((database) =>
        database.count('items', item.client_id),
      )) === 0
    )
  }

  private async remove(item: Item): Promise<void> {
    this.finished.add(item.client_id)
    await this.storing.get(item.client_id)
    await this.attempt((database) => database.delete('items', item.client_id))
    this.forget(item)
    this.tell()
  }

  private forget(item: Item): void {
    this.items = this.items.filter((one) => one.client_id !== item.client_id)
    this.changed()
  }

  private end(item: Item, sent: boolean): void {
    this.endings.get(item.client_id)?.(sent)
    this.endings.delete(item.client_id)
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
