import { useSyncExternalStore } from 'react'

/** Draft is what was begun to be written here. put are the texts of it that this browser kept on the server lately. */
export type Draft = { text: string; refusal?: string; put?: { texts: string[]; at: number } }

/** So long a text that was kept on the server may come back late. */
const putCounts = 60_000

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
  if (draft?.put && Date.now() - draft.put.at > putCounts) draft = keep(id, { ...draft, put: undefined })
  return draft
}

/** keep stores a draft; an empty one of which the server knows nothing is removed. */
function keep(id: string, draft: Draft): Draft | null {
  const kept = draft.text !== '' || draft.refusal || draft.put ? draft : null
  cache.set(id, kept)
  try {
    if (kept) localStorage.setItem(prefix + id, JSON.stringify(kept))
    else localStorage.removeItem(prefix + id)
  } catch {
    // The store of the browser is full: this tab has the draft.
  }
  return kept
}

/** saveDraft keeps what was typed in this browser at once. */
export function saveDraft(id: string, draft: Draft): void {
  keep(id, { put: read(id)?.put, ...draft })
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

/**
 * fromElsewhere is the draft of the server, if another device wrote it. What this browser kept there comes back late, after more was
 * typed or all of it was sent, in this tab or in another one, and is not to be written again.
 */
export const fromElsewhere = (local: Draft | null, server: { text: string } | null | undefined) => (server && !local?.put?.texts.includes(server.text) ? server.text : '')

/** readDraft is the local draft of a conversation. */
export const readDraft = read

/** useDraft follows the local draft of a conversation, other tabs' changes too. */
export const useDraft = (id: string) => useSyncExternalStore(watch, () => read(id))
