import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiBase, personHeaders } from '../api/client'
import { keys } from '../api/keys'
import type { Channel, Link } from '../api/types'
import { follow } from '../live/stream'

/**
 * useLink follows the link of a number to WhatsApp while it is active. Following an unlinked number makes the server offer codes.
 * It stops when linking fails and when the link ends, so that nothing starts again by itself.
 */
export function useLink({ id, status, phone }: Channel) {
  const client = useQueryClient()
  const connected = status === 'connected'
  // Only a number that was never linked shows a code at once; for others the reason comes first.
  const [attempt, setAttempt] = useState({
    active: connected || !phone,
    wasLinked: connected,
  })
  const [link, setLink] = useState<Link | null>(null)
  useEffect(() => {
    if (!attempt.active) return
    const control = new AbortController()
    let { wasLinked } = attempt
    void follow({
      url: `${apiBase}/channels/${id}/link`,
      lastId: () => null,
      headers: personHeaders,
      signal: control.signal,
      onState: () => undefined,
      onEvent: ({ data }) => {
        if (control.signal.aborted) return
        const next = JSON.parse(data) as Link
        const isLinked = next.state === 'linked'
        if (isLinked !== wasLinked)
          void client.invalidateQueries({ queryKey: keys.channels })
        const ended = wasLinked && !isLinked
        wasLinked = isLinked
        setLink(ended ? null : next)
        if (ended) setAttempt({ active: false, wasLinked: false })
        else if (next.state === 'failed') control.abort()
      },
    })
    return () => control.abort()
  }, [client, id, attempt])
  return {
    link,
    active: attempt.active,
    /** Whether the number is known to be linked, but its state is not here yet. */
    checking: attempt.active && attempt.wasLinked && !link,
    start: () => {
      setLink(null)
      setAttempt({ active: true, wasLinked: false })
    },
  }
}
