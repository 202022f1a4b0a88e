import { useSyncExternalStore } from 'react'
import { personal } from '../../ui/page'

/** ReturnedFile is a file of a message that the server refused. */
export type ReturnedFile = {
  media: string
  name: string
  caption: string
  voice: boolean
}

/**
 * Draft is an unsent text. synced is the server's version of it; put holds the versions this browser stored there recently; files
 * wait for the composer to be opened.
 */
export type Draft = {
  text: string
  files?: ReturnedFile[]
  refusal?: string
  synced?: string
  put?: { texts: string[]; at: number }
}

/** How long a stored version may still arrive as an echo, in milliseconds. */
const echoTime = 60_000

let prefix = ''
const watchers = new Set<() => void>()
const cache = new Map<string, Draft | null>()

/** ownDrafts switches to the drafts of one user; each user of this browser has their own. */
export function ownDrafts(person: string): void {
  if (prefix === personal('draft.', person)) return
  prefix = personal('draft.', person)
  cache.clear()
}

/** forgetDrafts removes the user's drafts from this browser. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix)) localStorage.removeItem(key)
  cache.clear()
}

/** isSynced reports whether a draft equals the server's version. */
export const isSynced = (draft: Draft | null) =>
  draft !== null &&
  draft.text !== '' &&
  draft.text === draft.synced &&
  !draft.refusal

/** justPut reports whether this browser stored the draft a moment ago, so that the signal about it is an echo. */
export const justPut = (draft: Draft | null) =>
  draft?.put !== undefined && Date.now() - draft.put.at < 3000

/** syncedDrafts returns the conversations with a synced draft. */
export const syncedDrafts = () =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((id) => isSynced(read(id)))

/** noteKey returns the key of an unfinished internal note, which is stored apart from the reply. */
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
  if (draft?.put && Date.now() - draft.put.at > echoTime)
    draft = keep(id, { ...draft, put: undefined })
  return draft
}

/** keep stores a draft. An empty draft that the server does not know is removed. */
function keep(id: string, draft: Draft): Draft | null {
  const kept =
    draft.text !== '' || draft.refusal || draft.put || draft.files?.length
      ? draft
      : null
  cache.set(id, kept)
  try {
    if (kept) localStorage.setItem(prefix + id, JSON.stringify(kept))
    else localStorage.removeItem(prefix + id)
  } catch {
    // The browser's storage is full; only this tab has the draft.
  }
  return kept
}

/** saveDraft stores what was typed in this browser. */
export function saveDraft(id: string, draft: Draft): void {
  const known = read(id)
  keep(id, {
    put: known?.put,
    files: known?.files,
    synced: draft.text === '' ? undefined : known?.synced,
    ...draft,
  })
  watchers.forEach((watcher) => watcher())
}

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
 * fromElsewhere returns the server's draft if another device wrote it. Versions stored by this browser may come back late, after
 * more was typed or the message was sent, and must not be restored.
 */
export const fromElsewhere = (
  local: Draft | null,
  server: { text: string } | null | undefined,
) => (server && !local?.put?.texts.includes(server.text) ? server.text : '')

/** readDraft returns the local draft of a conversation. */
export const readDraft = read

/** useDraft returns the local draft of a conversation and follows changes in other tabs. */
export const useDraft = (id: string) =>
  useSyncExternalStore(watch, () => read(id))
