import { useEffect, useRef } from 'react'
import { answer, api } from '../api/client'
import type { Conversation } from '../api/types'
import { fromElsewhere, readDraft, saveDraft } from './drafts'

/** useServerDraft keeps the draft on the server a moment after typing, and takes over one from another device. */
export function useServerDraft(conversation: Conversation) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const calls = useRef(Promise.resolve())
  const typedAt = useRef(0)
  const { id, draft } = conversation
  const stamp = draft?.updated_at ?? ''
  const seen = useRef(stamp)
  const kept = useRef('')
  useEffect(() => {
    const local = readDraft(id)
    const another = stamp !== seen.current && Date.now() - typedAt.current > 5000
    seen.current = stamp
    const written = fromElsewhere(local, draft)
    if (written && (another || !local?.text)) saveDraft(id, { text: written })
    // It was sent or cleared elsewhere. What was refused stands there again and stays.
    if (!draft && kept.current !== '' && local?.text === kept.current && !local.refusal) saveDraft(id, { text: '' })
    kept.current = draft?.text ?? ''
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the time of the change stands for the draft
  }, [id, stamp])
  useEffect(() => () => clearTimeout(timer.current), [id])

  /** keep calls the server, one call after the other, so that the last one counts there too. */
  const keep = (text: string, reply: string | null) => {
    const params = { path: { id } }
    const local = readDraft(id)
    if (text.trim() !== '' && local) saveDraft(id, { ...local, put: { texts: [...(local.put?.texts ?? []), text].slice(-10), at: Date.now() } })
    const call = () => (text.trim() === '' ? answer(api.DELETE('/conversations/{id}/draft', { params })) : answer(api.PUT('/conversations/{id}/draft', { params, body: { text, reply_to_external_id: reply } })))
    calls.current = calls.current.then(call).then(() => undefined, () => undefined) // the local draft stays
  }
  return (text: string, reply: string | null) => {
    typedAt.current = Date.now()
    clearTimeout(timer.current)
    if (text === '') keep(text, reply)
    else timer.current = setTimeout(() => keep(text, reply), 1200)
  }
}
