import { useSyncExternalStore } from 'react'

/** Download is a file that is being saved, was saved, or could not be. */
export type Download = {
  id: number
  file: string
  rows: number
  bytes: number
  state: 'running' | 'saved' | 'failed'
  error?: unknown
  cancel: () => void
  again: () => void
}

let all: readonly Download[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: readonly Download[]): void {
  all = next
  listeners.forEach((listener) => listener())
}

/** addDownload lists a download and returns its id. */
export function addDownload(
  download: Pick<Download, 'file' | 'cancel' | 'again'>,
): number {
  set([
    ...all,
    { ...download, id: ++last, rows: 0, bytes: 0, state: 'running' },
  ])
  return last
}

/** changeDownload changes what is shown of a download. */
export const changeDownload = (id: number, fields: Partial<Download>) =>
  set(all.map((one) => (one.id === id ? { ...one, ...fields } : one)))

/** removeDownload takes a download off the list. */
export const removeDownload = (id: number) =>
  set(all.filter((one) => one.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** useDownloads returns all downloads, oldest first. */
export const useDownloads = () => useSyncExternalStore(subscribe, () => all)
