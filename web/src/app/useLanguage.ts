import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { defaultPreferences } from '../api/queries'
import type { Preferences } from '../api/types'
import { setLanguage, takeChosenLanguage } from '../ui/i18n'

/**
 * useLanguage shows the app in the person's language: the one that was chosen on the sign-in page, which is kept, else the
 * one of the preferences. The default of the preferences says nothing about the person; the browser's language stays then.
 */
export function useLanguage(language: Preferences['language']): void {
  const client = useQueryClient()
  useEffect(() => {
    const chosen = takeChosenLanguage()
    if (chosen) {
      void answer(api.PATCH('/me/preferences', { body: { language: chosen } }))
        .then((preferences) => client.setQueryData(keys.preferences, preferences))
        .catch(() => undefined)
    } else if (language !== defaultPreferences.language) void setLanguage(language)
  }, [client, language])
}
