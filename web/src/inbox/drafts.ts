import { useSyncExternalStore } from 'react'

export type Draft = { text: string; refusal?: string }

const root = 'recado.draft.'
let prefix = root
const watchers = new Set<() => void>()
const cache = new Map<string, Draft | null>()

/** ownDrafts makes the drafts those of one person: others who use this browser have their own. */
export function ownDrafts(person: string): void {
  if (prefix === `${root}${person}.`) return
  prefix = `${root}${person}.`
  cache.clear()
}

/** forgetDrafts removes the drafts of everybody from this browser. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(root)) localStorage.removeItem(key)
  cache.clear()
}

/** noteKey is where the text of an unfinished internal note is kept, apart from the answer. */
export const noteKey = (conversation: string) => `note.${conversation}`

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
