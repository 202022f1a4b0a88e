import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { updateConversation } from '../../api/cache'
import { api, unwrap } from '../../api/client'
import type { Conversation } from '../../api/types'
import { eventData } from '../../live/apply'
import { onLiveEvent } from '../../live/useLive'
import {
  fromElsewhere,
  isSynced,
  justPut,
  readDraft,
  saveDraft,
  syncedDrafts,
} from './drafts'

/** How long after rendering the drafts left by an earlier page are checked. */
const checkDelay = 1000

/**
 * settle clears a local draft that was sent or removed on another device: the server had this text and no longer has it. The server
 * is asked after the text was stored there, so a response without it is not outdated. Text that was edited since is kept.
 */
async function settle(
  client: QueryClient,
  id: string,
  me: string,
): Promise<void> {
  const before = readDraft(id)
  if (!isSynced(before)) return
  const conversation = await unwrap(
    api.GET('/conversations/{id}', { params: { path: { id } } }),
  ).catch(() => null)
  if (!conversation) return
  updateConversation(client, conversation, me)
  const now = readDraft(id)
  if (!conversation.draft && isSynced(now) && now?.text === before?.text)
    saveDraft(id, { text: '' })
}

/** useDraftsElsewhere follows what happens to the user's drafts on other devices, in all conversations with a local draft. */
export function useDraftsElsewhere(me: string): void {
  const client = useQueryClient()
  useEffect(() => {
    const settleAll = () =>
      syncedDrafts().forEach((id) => void settle(client, id, me))
    const timer = setTimeout(settleAll, checkDelay)
    const unlisten = onLiveEvent((event) => {
      if (event.type === 'reset') return settleAll()
      if (event.type !== 'draft' && event.type !== 'message.sent') return
      const { conversation, message } = eventData(event)
      const id =
        typeof conversation === 'string' ? conversation : conversation?.id
      if (
        id &&
        (event.type === 'draft'
          ? !justPut(readDraft(id))
          : message?.sent_by?.id === me)
      )
        void settle(client, id, me)
    })
    return () => {
      clearTimeout(timer)
      unlisten()
    }
  }, [client, me])
}

/** useServerDraft stores the draft on the server shortly after typing, and loads drafts from other devices. */
export function useServerDraft(conversation: Conversation, me: string) {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const calls = useRef(Promise.resolve())
  const typedAt = useRef(0)
  const { id, draft } = conversation
  const stamp = draft?.updated_at ?? ''
  const seen = useRef(stamp)
  const kept = useRef('')
  useEffect(() => {
    const local = readDraft(id)
    const another =
      stamp !== seen.current && Date.now() - typedAt.current > 5000
    seen.current = stamp
    const written = fromElsewhere(local, draft)
    // Text that the server does not have yet is newer than its draft.
    if (written && (!local?.text || (another && isSynced(local))))
      saveDraft(id, { text: written, synced: written })
    // It was sent or cleared elsewhere. Rejected or retyped text is kept.
    if (!draft && isSynced(local) && local?.text === kept.current)
      saveDraft(id, { text: '' })
    kept.current = draft?.text ?? ''
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the time of the change stands for the draft
  }, [id, stamp])
  useEffect(() => () => clearTimeout(timer.current), [id])
  useEffect(() => {
    const look = () => void settle(client, id, me)
    look()
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [client, id, me])

  /** keep calls the server sequentially, so that the last call wins. */
  const keep = (text: string, reply: string | null) => {
    const params = { path: { id } }
    const local = readDraft(id)
    if (text.trim() !== '' && local)
      saveDraft(id, {
        ...local,
        put: {
          texts: [...(local.put?.texts ?? []), text].slice(-10),
          at: Date.now(),
        },
      })
    const call = () =>
      text.trim() === ''
        ? unwrap(api.DELETE('/conversations/{id}/draft', { params }))
        : unwrap(
            api.PUT('/conversations/{id}/draft', {
              params,
              body: { text, reply_to_external_id: reply },
            }),
          )
    const done = () => {
      const now = readDraft(id)
      if (now && now.text !== '')
        saveDraft(id, { ...now, synced: text.trim() === '' ? undefined : text })
    }
    calls.current = calls.current.then(call).then(done, () => undefined) // the local draft stays
  }
  return (text: string, reply: string | null) => {
    typedAt.current = Date.now()
    clearTimeout(timer.current)
    if (text === '') keep(text, reply)
    else timer.current = setTimeout(() => keep(text, reply), 1200)
  }
}
