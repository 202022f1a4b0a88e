import { installed } from './page'

export const languages = ['pt-BR', 'en', 'es'] as const
export type Language = (typeof languages)[number]

/** catalogues loads the texts of each language. */
export const catalogues: Record<Language, () => Promise<{ default: object }>> =
  {
    'pt-BR': () => import('../locales/pt-BR.json'),
    en: () => import('../locales/en.json'),
    es: () => import('../locales/es.json'),
  }

export const languageKey = installed('language')

/** isLanguage reports whether a string is one of the three languages. */
export function isLanguage(text: string | null | undefined): text is Language {
  return languages.includes(text as Language)
}

/** preferredLanguage returns the stored language, else the browser's, else Brazilian Portuguese. */
export function preferredLanguage(
  stored = localStorage.getItem(languageKey),
  browser: readonly string[] = navigator.languages,
): Language {
  if (isLanguage(stored)) return stored
  for (const tag of browser) {
    const found = languages.find(
      (language) => language.slice(0, 2) === tag.slice(0, 2).toLowerCase(),
    )
    if (found) return found
  }
  return 'pt-BR'
}
