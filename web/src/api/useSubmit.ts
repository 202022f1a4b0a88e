import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemsOf, type Form, type Problems } from './refusal'

const noProblems: Problems = { fields: {}, other: null }

/** reason can replace the text of an error. */
type Options = Form & { reason?: (error: unknown) => string | undefined }

/**
 * useSubmit runs the task of a form and tracks whether it is running, failed or succeeded. wrong holds the errors by field,
 * problem all other errors.
 */
export function useSubmit({ reason, ...form }: Options = {}) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState(false)
  const [problems, setProblems] = useState(noProblems)
  const run = async (task: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setDone(false)
    setProblems(noProblems)
    try {
      await task()
      setDone(true)
      return true
    } catch (error) {
      const known = reason?.(error)
      setProblems(
        known ? { fields: {}, other: known } : problemsOf(error, t, form),
      )
      return false
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    done,
    problem: problems.other,
    wrong: problems.fields,
    run,
    touch: () => setDone(false),
  }
}
