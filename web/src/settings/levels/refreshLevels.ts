import type { QueryClient } from '@tanstack/react-query'
import { keys } from '../../api/keys'

/** refreshLevels fetches the policies again, and what they change: the targets of open cases. */
export const refreshLevels = (client: QueryClient) =>
  Promise.all(
    [keys.policies, keys.counts, keys.lists].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  )
