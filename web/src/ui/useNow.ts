import { useSyncExternalStore } from 'react'

let now = Date.now()
const watchers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= setInterval(() => {
    now = Date.now()
    watchers.forEach((one) => one())
  }, 20_000)
  return () => {
    watchers.delete(watcher)
    if (watchers.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** useNow returns the current time, updated every 20 seconds. */
export const useNow = () => useSyncExternalStore(watch, () => now)
