import { useSyncExternalStore } from 'react'
import { personal } from '../../ui/page'

/** Draft is what was begun to be written here. synced is the text that the server has of it, put are those that this browser kept there lately. */
export type Draft = {
  text: string
  refusal?: string
  synced?: string
  put?: { texts: string[]; at: number }
}

/** So long a text that was kept on the server may come back late. */
const putCounts = 60_000

let prefix = ''
const watchers = new Set<() => void>()
const cache = new Map<string, Draft | null>()

/** ownDrafts makes the drafts those of one person: others who use this browser have their own. */
export function ownDrafts(person: string): void {
  if (prefix === personal('draft.', person)) return
  prefix = personal('draft.', person)
  cache.clear()
}

/** forgetDrafts removes the drafts of the person from this browser. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix)) localStorage.removeItem(key)
  cache.clear()
}

/** isSynced tells whether a draft stands here as the server had it: nothing was typed since. */
export const isSynced = (draft: Draft | null) =>
  draft !== null &&
  draft.text !== '' &&
  draft.text === draft.synced &&
  !draft.refusal

/** justPut tells whether this browser kept the draft on the server a moment ago: the signal about it is an echo. */
export const justPut = (draft: Draft | null) =>
  draft?.put !== undefined && Date.now() - draft.put.at < 3000

/** syncedDrafts are the conversations with such a draft. */
export const syncedDrafts = () =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((id) => isSynced(read(id)))

/** noteKey is where the text of an unfinished internal note is kept, apart from the answer. */
export const noteKey = (conversation: string) => `note.${conversation}`

function read(id: string): Draft | null {
  let draft = cache.get(id)
  if (draft === undefined) {
    try {
      draft = JSON.parse(
        localStorage.getItem(prefix + id) ?? 'null',
      ) as Draft | null
    } catch {
      draft = null
    }
    cache.set(id, draft)
  }
  if (draft?.put && Date.now() - draft.put.at > putCounts)
    draft = keep(id, { ...draft, put: undefined })
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
  const known = read(id)
  keep(id, {
    put: known?.put,
    synced: draft.text === '' ? undefined : known?.synced,
    ...draft,
  })
  watchers.forEach((watcher) => watcher())
}

// Other tabs changed a draft.
addEventListener('storage', (event) => {
  if (prefix === '' || !event.key?.startsWith(prefix)) return
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
export const fromElsewhere = (
  local: Draft | null,
  server: { text: string } | null | undefined,
) => (server && !local?.put?.texts.includes(server.text) ? server.text : '')

/** readDraft is the local draft of a conversation. */
export const readDraft = read

/** useDraft follows the local draft of a conversation, other tabs' changes too. */
export const useDraft = (id: string) =>
  useSyncExternalStore(watch, () => read(id))
