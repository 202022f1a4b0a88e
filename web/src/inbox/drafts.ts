import { useSyncExternalStore } from 'react'

export type Draft = { text: string; refusal?: string }

const prefix = 'recado.draft.'
const watchers = new Set<() => void>()
const cache = new Map<string, Draft | null>()

function read(id: string): Draft | null {
  let draft = cache.get(id)
  if (draft === undefined) {
    try {
      draft = JSON.parse(localStorage.getItem(prefix + id) ?? 'null') as Draft | null
    } catch {
      draft = null
    }
    cache.set(id, draft)
  }
  return draft
}

/** saveDraft keeps what was typed in this browser at once; an empty one is removed. */
export function saveDraft(id: string, draft: Draft): void {
  const kept = draft.text !== '' || draft.refusal ? draft : null
  cache.set(id, kept)
  if (kept) localStorage.setItem(prefix + id, JSON.stringify(kept))
  else localStorage.removeItem(prefix + id)
  watchers.forEach((watcher) => watcher())
}

// Other tabs changed a draft.
addEventListener('storage', (event) => {
  if (!event.key?.startsWith(prefix)) return
  cache.delete(event.key.slice(prefix.length))
  watchers.forEach((watcher) => watcher())
})

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** readDraft is the local draft of a conversation. */
export const readDraft = read

/** useDraft follows the local draft of a conversation, other tabs' changes too. */
export const useDraft = (id: string) => useSyncExternalStore(watch, () => read(id))
