import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemText } from './problem'

/** useSubmit runs the task of a form: it shows that it runs, what it was refused for, and that it succeeded. */
export function useSubmit(reason?: (error: unknown) => string | undefined) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [done, setDone] = useState(false)
  const run = async (task: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    setDone(false)
    try {
      await task()
      setDone(true)
      return true
    } catch (error) {
      setProblem(reason?.(error) ?? problemText(error, t))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, done, run, touch: () => setDone(false) }
}
