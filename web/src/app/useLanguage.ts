import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Preferences } from '../api/types'
import { setLanguage, takeChosenLanguage } from '../ui/i18n'

/**
 * useLanguage applies the user's language: the one chosen on the sign-in page, which is then saved, else the one in the
 * preferences. Without either, the browser's language stays.
 */
export function useLanguage({
  language,
  language_chosen: isChosen,
}: Preferences): void {
  const client = useQueryClient()
  useEffect(() => {
    const chosen = takeChosenLanguage()
    if (chosen) {
      void unwrap(api.PATCH('/me/preferences', { body: { language: chosen } }))
        .then((preferences) =>
          client.setQueryData(keys.preferences, preferences),
        )
        .catch(() => undefined)
    } else if (isChosen) void setLanguage(language)
  }, [client, language, isChosen])
}
