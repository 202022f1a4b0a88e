import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { changePreferences } from '../api/preferences'
import { refusal } from '../api/refusal'
import { usePreferences } from '../api/queries'
import type { Preferences } from '../api/types'
import { announce } from '../ui/announce'
import { toast } from '../ui/toast'

/** usePreference returns the preferences and a function that changes some of them optimistically. */
export function usePreference(): [
  Preferences,
  (change: Partial<Preferences>) => Promise<void>,
] {
  const { t } = useTranslation()
  const client = useQueryClient()
  const preferences = usePreferences()
  // The cache notifies asynchronously; a radio button must react to the click itself.
  const [clicked, setClicked] = useState<Partial<Preferences>>({})
  const change = async (fields: Partial<Preferences>) => {
    setClicked((before) => ({ ...before, ...fields }))
    try {
      await changePreferences(client, fields)
      announce(t('details.saved'))
    } catch (error) {
      toast(refusal(error, t), 'red')
    }
    setClicked((now) =>
      Object.fromEntries(
        Object.entries(now).filter(
          ([name, value]) => fields[name as keyof Preferences] !== value,
        ),
      ),
    )
  }
  return [{ ...preferences, ...clicked }, change]
}
