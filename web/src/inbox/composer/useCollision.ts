import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { eventData } from '../../live/apply'
import { onLiveEvent } from '../../live/useLive'

/** useCollision reports that a colleague replied since the user started typing. */
export function useCollision(
  conversation: string,
  me: string,
  typing: boolean,
) {
  const { t } = useTranslation()
  const [answered, setAnswered] = useState<{ name: string; at: number } | null>(
    null,
  )
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!typing) return setAnswered(null)
    return onLiveEvent((event) => {
      if (event.type !== 'message.sent') return
      const { message } = eventData(event)
      if (
        message?.conversation === conversation &&
        message.sent_by &&
        message.sent_by.id !== me
      )
        setAnswered({ name: message.sent_by.name, at: Date.now() })
    })
  }, [conversation, me, typing])
  useEffect(() => {
    if (!answered) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 5000)
    return () => clearInterval(timer)
  }, [answered])
  const seconds = answered
    ? Math.max(1, Math.round((now - answered.at) / 1000))
    : 0
  return {
    hint: answered
      ? t('composer.collision', { name: answered.name, n: seconds })
      : null,
    reset: () => setAnswered(null),
  }
}
