import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { refusal } from '../../api/refusal'

/** How long the list is polled after a sync was requested. */
const polled = 8000

/** useSync fetches the templates of a number from Meta on request. synced is true for a while afterwards. */
export function useSync(channel: string) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [synced, setSynced] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    if (!synced) return
    const timer = setTimeout(() => setSynced(false), polled)
    return () => clearTimeout(timer)
  }, [synced])
  const sync = async () => {
    setProblem(null)
    try {
      await unwrap(
        api.POST('/channels/{id}/templates/sync', {
          params: { path: { id: channel } },
        }),
      )
      setSynced(true)
      void client.invalidateQueries({ queryKey: keys.templates(channel) })
    } catch (error) {
      const wait =
        error instanceof Failure && error.status === 429
          ? Math.ceil(error.retryAfter ?? 60)
          : null
      setProblem(
        wait === null ? refusal(error, t) : t('templates.tooSoon', { n: wait }),
      )
    }
  }
  return { synced, problem, sync }
}
