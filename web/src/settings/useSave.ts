import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { noProblems, problemsOf } from './problem'

/** useSave runs what a form does and keeps what the server refused, at the fields that the form has. */
export function useSave(fields: readonly string[] = [], taken = 'name') {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [saved, setSaved] = useState(false)
  const [problems, setProblems] = useState(noProblems)
  const save = async (task: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setSaved(false)
    setProblems(noProblems)
    try {
      await task()
      setSaved(true)
      return true
    } catch (error) {
      setProblems(problemsOf(error, t, fields, taken))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, saved, problems, save, edited: () => setSaved(false) }
}
