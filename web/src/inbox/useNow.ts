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

/** useNow is the time, renewed every 20 seconds, for what grows older on the screen. */
export const useNow = () => useSyncExternalStore(watch, () => now)
