import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { apiBase, personHeaders } from '../api/client'
import { keys } from '../api/keys'
import { appVersion, basePath, personal } from '../ui/page'
import { soon } from '../ui/parts'
import { makeApply } from './apply'
import { share } from './leader'
import type { StreamEvent } from './parse'

/** The connection state shown by the banners. */
export type Connection = {
  state: 'ok' | 'reconnecting' | 'offline' | 'replaced'
  newVersion: boolean
  leads: boolean
}

let connection: Connection = { state: 'ok', newVersion: false, leads: false }
const watchers = new Set<() => void>()
const events = new Set<(event: StreamEvent) => void>()

function set(change: Partial<Connection>): void {
  connection = { ...connection, ...change }
  watchers.forEach((watcher) => watcher())
}

/** useConnection returns the state of the stream. */
export function useConnection(): Connection {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connection,
  )
}

/** onLiveEvent subscribes to events, after the cache was updated. */
export function onLiveEvent(
  listener: (event: StreamEvent) => void,
): () => void {
  events.add(listener)
  return () => events.delete(listener)
}

async function checkVersion(): Promise<void> {
  try {
    const response = await fetch(`${basePath}/app/version`, {
      cache: 'no-store',
    })
    if (response.ok && appVersion && (await response.text()) !== appVersion)
      set({ newVersion: true })
  } catch {
    // the next connection checks again
  }
}

/** Shorter interruptions show no banner. */
const bannerDelay = 3000

/** How long after the page is rendered the changes between the first responses and the start of the stream are fetched. */
const refetchDelay = 1000

/** useLive keeps the stream open while a user is signed in. A new session number reopens it. */
export function useLive(me: string, session: number): void {
  const client = useQueryClient()
  const begun = useRef(false)
  useEffect(
    () =>
      soon(() => {
        const apply = makeApply(client, me)
        let timer: ReturnType<typeof setTimeout> | undefined
        let catchUp: ReturnType<typeof setTimeout> | undefined
        let wasLost = false
        let streaming = false
        const calm = () => {
          clearTimeout(timer)
          timer = undefined
        }
        const take = (event: StreamEvent) => {
          apply(event)
          events.forEach((listener) => listener(event))
        }
        const stop = share({
          url: `${apiBase}/live`,
          name: personal('live', me),
          headers: personHeaders,
          onLead: (leads) => set({ leads }),
          onEvent: (event) => {
            if (event.type === 'session' && event.data.includes('ended'))
              void client.invalidateQueries({ queryKey: ['session'] })
            take(event)
          },
          onState: (state) => {
            if (state === 'open' && streaming) return // sent for a tab that was just opened
            streaming = state === 'open'
            if (state === 'open') {
              calm()
              set({ state: 'ok' })
              if (begun.current || wasLost) void checkVersion() // it may be another server version
              // Missed events are replayed if the cursor is known. Signals, which also cover private conversations, never are.
              if (begun.current) take({ id: null, type: 'reset', data: '{}' })
              else
                catchUp = setTimeout(() => {
                  for (const queryKey of [
                    keys.lists,
                    keys.counts,
                    keys.notifications,
                    ['timeline'],
                    ['conversation'],
                    ['scheduled'],
                  ])
                    void client.invalidateQueries({ queryKey })
                }, refetchDelay)
              begun.current = true
            } else if (state === 'ended') {
              calm()
              void client.invalidateQueries({ queryKey: ['session'] })
              set({ state: 'replaced' })
            } else {
              if (state === 'waiting') wasLost = true
              timer ??= setTimeout(
                () =>
                  set({ state: navigator.onLine ? 'reconnecting' : 'offline' }),
                bannerDelay,
              )
            }
          },
        })
        const offline = () => set({ state: 'offline' })
        const online = () => set({ state: streaming ? 'ok' : 'reconnecting' })
        addEventListener('offline', offline)
        addEventListener('online', online)
        return () => {
          stop()
          calm()
          clearTimeout(catchUp)
          removeEventListener('offline', offline)
          removeEventListener('online', online)
        }
      }),
    [client, me, session],
  )
}
