import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Preferences } from '../api/types'
import { setLanguage, takeChosenLanguage } from '../ui/i18n'

/**
 * useLanguage shows the app in the person's language: the one that was chosen on the sign-in page, which is kept, else the
 * one of the preferences. The language of the browser stays while the person has chosen none.
 */
export function useLanguage({
  language,
  language_chosen: isChosen,
}: Preferences): void {
  const client = useQueryClient()
  useEffect(() => {
    const chosen = takeChosenLanguage()
    if (chosen) {
      void answer(api.PATCH('/me/preferences', { body: { language: chosen } }))
        .then((preferences) =>
          client.setQueryData(keys.preferences, preferences),
        )
        .catch(() => undefined)
    } else if (isChosen) void setLanguage(language)
  }, [client, language, isChosen])
}
