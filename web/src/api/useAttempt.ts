import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce'
import { toast } from '../ui/toast'
import { refusal } from './refusal'

/** useAttempt returns a function that runs a task, shows an error as a toast, and reports whether the task succeeded. */
export function useAttempt() {
  const { t } = useTranslation()
  return useCallback(
    async (task: () => Promise<unknown>, done?: string): Promise<boolean> => {
      try {
        await task()
        if (done) announce(done)
        return true
      } catch (error) {
        toast(refusal(error, t), 'red')
        return false
      }
    },
    [t],
  )
}
