import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Connection } from '../api/types'

/** How often the connection is fetched during an import; settings are not part of the live stream. */
const importing = 3000

/** isImporting reports whether Meta still sends contacts and messages of the phone. */
export const isImporting = (connection: Connection | undefined) =>
  connection?.import?.state === 'requested' ||
  connection?.import?.state === 'running'

/** useConnection returns how a number is connected with Meta. */
export const useConnection = (channel: string) =>
  useQuery({
    queryKey: keys.connection(channel),
    refetchInterval: ({ state }) =>
      isImporting(state.data) ? importing : false,
    queryFn: () =>
      unwrap(
        api.GET('/channels/{id}/connection', {
          params: { path: { id: channel } },
        }),
      ),
  })
