import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** useFresh refetches lists when a page is opened, because settings are not part of the live stream. */
export function useFresh(...keys: (readonly string[])[]): void {
  const client = useQueryClient()
  const names = keys.map((key) => key.join(' ')).join()
  useEffect(() => {
    for (const name of names.split(',')) {
      const queryKey = name.split(' ')
      const known = client.getQueryState(queryKey)
      if (known?.data !== undefined && known.fetchStatus === 'idle')
        void client.invalidateQueries({ queryKey })
    }
  }, [client, names])
}
