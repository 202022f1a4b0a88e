import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import {
  catalogues,
  isLanguage,
  languageKey,
  preferredLanguage,
  type Language,
} from './language'
import { installed } from './page'
import { withStyles } from './parts'

export {
  isLanguage,
  languages,
  preferredLanguage,
  type Language,
} from './language'

/** languageNames holds the name of each language in that language. */
export const languageNames: Record<Language, string> = {
  'pt-BR': 'Português (Brasil)',
  en: 'English',
  es: 'Español',
}

/** Catalogues that are loaded together with their screen, by "{part}/{language}". */
const parts = import.meta.glob<{ default: object }>('../locales/*/*.json')
const loadedParts = new Set<string>()

/** addPart adds the texts of a part to the loaded catalogue. */
async function addPart(name: string, language: Language): Promise<void> {
  const load = parts[`../locales/${name}/${language}.json`]
  if (!load) throw new Error(`There is no catalogue ${name} in ${language}.`)
  i18next.addResourceBundle(
    language,
    'translation',
    (await load()).default,
    true,
    true,
  )
}

/** withTexts loads a screen together with its catalogue and its styles. */
export async function withTexts<T>(
  name: string,
  screen: Promise<T>,
): Promise<T> {
  const [loaded] = await Promise.all([
    withStyles(screen),
    loadedParts.has(name)
      ? undefined
      : addPart(name, i18next.language as Language),
  ])
  loadedParts.add(name)
  return loaded
}

/** startTexts loads the catalogue of the preferred language. */
export async function startTexts(
  language: Language = preferredLanguage(),
): Promise<void> {
  const catalogue = await catalogues[language]()
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: catalogue.default } },
    interpolation: { escapeValue: false },
    returnNull: false,
  })
  mark(language)
}

/** mark sets the language and the text direction of the page, and the manifest with the shortcuts in that language. */
function mark(language: Language): void {
  document.documentElement.lang = language
  document.documentElement.dir = i18next.dir(language)
  const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')
  if (link)
    link.href = link.href.replace(
      /manifest[\w-]*\./,
      language === 'pt-BR' ? 'manifest.' : `manifest-${language}.`,
    )
}

/** setLanguage changes the page's language and stores it in this browser. */
export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(languageKey, language)
  if (i18next.language === language) return
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(
      language,
      'translation',
      (await catalogues[language]()).default,
    )
    await Promise.all([...loadedParts].map((name) => addPart(name, language)))
  }
  await i18next.changeLanguage(language)
  mark(language)
}

const chosenKey = installed('language.chosen')

/** chooseLanguage changes the language before sign-in; it is saved to the user's preferences afterwards. */
export function chooseLanguage(language: Language): Promise<void> {
  sessionStorage.setItem(chosenKey, language)
  return setLanguage(language)
}

/** takeChosenLanguage returns the language chosen before sign-in and clears it. */
export function takeChosenLanguage(): Language | null {
  const chosen = sessionStorage.getItem(chosenKey)
  sessionStorage.removeItem(chosenKey)
  return isLanguage(chosen) ? chosen : null
}
