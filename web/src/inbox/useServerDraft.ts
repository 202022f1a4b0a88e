import { useEffect, useRef } from 'react'
import { answer, api } from '../api/client'
import type { Conversation } from '../api/types'
import { readDraft, saveDraft } from './drafts'

/** useServerDraft keeps the draft on the server a moment after typing, and takes over one from another device. */
export function useServerDraft(conversation: Conversation) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const typedAt = useRef(0)
  const { id, draft } = conversation
  const stamp = draft?.updated_at ?? ''
  const seen = useRef(stamp)
  const kept = useRef('')
  useEffect(() => {
    const local = readDraft(id)
    const another = stamp !== seen.current && Date.now() - typedAt.current > 5000
    seen.current = stamp
    if (draft && (another || !local)) saveDraft(id, { text: draft.text })
    // It was sent or cleared elsewhere.
    if (!draft && kept.current !== '' && local?.text === kept.current) saveDraft(id, { text: '' })
    kept.current = draft?.text ?? ''
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the time of the change stands for the draft
  }, [id, stamp])
  useEffect(() => () => clearTimeout(timer.current), [id])
  return (text: string, reply: string | null) => {
    typedAt.current = Date.now()
    clearTimeout(timer.current)
    const params = { path: { id } }
    timer.current = setTimeout(
      () => {
        const call = text.trim() === '' ? answer(api.DELETE('/conversations/{id}/draft', { params })) : answer(api.PUT('/conversations/{id}/draft', { params, body: { text, reply_to_external_id: reply } }))
        void call.catch(() => undefined) // the local draft stays
      },
      text === '' ? 0 : 1200,
    )
  }
}
