import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { updateConversation } from '../../api/cache'
import { answer, api } from '../../api/client'
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

/** How long after the page is drawn the drafts that an earlier page left are looked at. */
const settled = 1000

/**
 * settle clears a draft that was sent or removed on another device: the server had this text and has it no more. The server is asked
 * after the text was kept there, so an answer without it is no older one. A text that was changed since stays.
 */
async function settle(
  client: QueryClient,
  id: string,
  me: string,
): Promise<void> {
  const before = readDraft(id)
  if (!isSynced(before)) return
  const conversation = await answer(
    api.GET('/conversations/{id}', { params: { path: { id } } }),
  ).catch(() => null)
  if (!conversation) return
  updateConversation(client, conversation, me)
  const now = readDraft(id)
  if (!conversation.draft && isSynced(now) && now?.text === before?.text)
    saveDraft(id, { text: '' })
}

/** useDraftsElsewhere follows what becomes of the person's drafts on other devices, of all conversations that have one here. */
export function useDraftsElsewhere(me: string): void {
  const client = useQueryClient()
  useEffect(() => {
    const settleAll = () =>
      syncedDrafts().forEach((id) => void settle(client, id, me))
    const timer = setTimeout(settleAll, settled)
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

/** useServerDraft keeps the draft on the server a moment after typing, and takes over one from another device. */
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
    if (written && (another || !local?.text))
      saveDraft(id, { text: written, synced: written })
    // It was sent or cleared elsewhere. What was refused or typed again stays.
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

  /** keep calls the server, one call after the other, so that the last one counts there too. */
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
        ? answer(api.DELETE('/conversations/{id}/draft', { params }))
        : answer(
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
