import { queryOptions } from '@tanstack/react-query'
import { api, Failure, unwrap } from '../../api/client'
import type { Attendance } from '../../api/types'

/** protocolIn returns the protocol number in a text, with or without prefix and zeros, or null. Longer numbers are phones. */
export function protocolIn(text: string): string | null {
  const found = /^(?:atd-?)?(p?\d{1,9})$/i.exec(text.trim())
  return found ? `ATD-${found[1]?.toUpperCase()}` : null
}

/** protocolOptions finds the case with a protocol number, or null if there is none that the user can see. */
export const protocolOptions = (protocol: string | null) =>
  queryOptions({
    queryKey: ['protocol', protocol],
    enabled: protocol !== null,
    queryFn: async (): Promise<Attendance | null> => {
      try {
        return (
          (
            await unwrap(
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
