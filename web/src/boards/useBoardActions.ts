import { useQueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys'
import { useAttempt } from '../api/useAttempt'

/** useBoardActions changes boards and stages and then refetches the boards. */
export function useBoardActions() {
  const client = useQueryClient()
  const attempt = useAttempt()
  return {
    change: (task: () => Promise<unknown>, done?: string) =>
      attempt(async () => {
        try {
          await task()
        } finally {
          await client.invalidateQueries({ queryKey: keys.boards })
        }
      }, done),
  }
}
