import { useQueryClient } from '@tanstack/react-query'
import { useAttempt } from '../../api/useAttempt'
import { moved } from './order'

/** usePosition returns a function that moves an item of a list at once and stores its position. save gets the position of the item whose place it takes. */
export function usePosition<T extends { id: string; position: number }>(
  queryKey: readonly string[],
  save: (id: string, position: number) => Promise<unknown>,
) {
  const client = useQueryClient()
  const attempt = useAttempt()
  return async (shown: T[], item: T, to: number) => {
    const position = shown[to]?.position
    if (position === undefined) return
    await client.cancelQueries({ queryKey })
    const order = moved(
      shown.map((one) => one.id),
      shown.findIndex((one) => one.id === item.id),
      to,
    )
    client.setQueryData<T[]>(queryKey, (all) => {
      const places = shown.map((one) => one.position)
      return all
        ?.map((one) => {
          const at = order.indexOf(one.id)
          return at < 0 ? one : { ...one, position: places[at] ?? one.position }
        })
        .toSorted((a, b) => a.position - b.position)
    })
    await attempt(() => save(item.id, position))
    await client.invalidateQueries({ queryKey })
  }
}
