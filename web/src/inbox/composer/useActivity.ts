import { useEffect, useRef } from 'react'
import { api, unwrap } from '../../api/client'

type Kind = 'viewing' | 'typing' | 'left'

/** useActivity reports every 10 seconds that the user is viewing or replying in a conversation. */
export function useActivity(id: string) {
  const typing = useRef(0)
  const last = useRef<Kind>('viewing')
  useEffect(() => {
    const tell = (kind: Kind) =>
      void unwrap(
        api.POST('/conversations/{id}/activity', {
          params: { path: { id } },
          body: { kind },
        }),
      ).catch(() => undefined)
    const visible = () => document.visibilityState === 'visible'
    const beat = () => {
      if (!visible()) return
      last.current = Date.now() - typing.current < 10_000 ? 'typing' : 'viewing'
      tell(last.current)
    }
    beat()
    const timer = setInterval(beat, 10_000)
    const change = () => (visible() ? beat() : tell('left'))
    document.addEventListener('visibilitychange', change)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', change)
      tell('left')
    }
  }, [id])
  return {
    typed: (answering: boolean) => {
      if (!answering) return
      const first = Date.now() - typing.current > 9_000
      typing.current = Date.now()
      if (first)
        void unwrap(
          api.POST('/conversations/{id}/activity', {
            params: { path: { id } },
            body: { kind: 'typing' },
          }),
        ).catch(() => undefined)
    },
    stopped: () => {
      typing.current = 0
    },
  }
}
