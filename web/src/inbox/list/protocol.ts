import { queryOptions } from '@tanstack/react-query'
import { answer, api, Failure } from '../../api/client'
import type { Attendance } from '../../api/types'

/** protocolIn returns the protocol number that a text is, with or without its prefix and zeros, else null. Longer digits are phones. */
export function protocolIn(text: string): string | null {
  const found = /^(?:atd-?)?(p?\d{1,9})$/i.exec(text.trim())
  return found ? `ATD-${found[1]?.toUpperCase()}` : null
}

/** protocolOptions find the case of a protocol number; null where there is none that the person may see. */
export const protocolOptions = (protocol: string | null) =>
  queryOptions({
    queryKey: ['protocol', protocol],
    enabled: protocol !== null,
    queryFn: async (): Promise<Attendance | null> => {
      try {
        return (
          (
            await answer(
              api.GET('/attendances', {
                params: { query: { protocol: protocol ?? '', limit: 1 } },
              }),
            )
          ).data[0] ?? null
        )
      } catch (error) {
        if (error instanceof Failure && error.status === 400) return null
        throw error
      }
    },
  })
