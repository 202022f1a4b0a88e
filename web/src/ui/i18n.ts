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

/** languageNames are the languages in their own words. */
export const languageNames: Record<Language, string> = {
  'pt-BR': 'Português (Brasil)',
  en: 'English',
  es: 'Español',
}

/** parts are the catalogues of screens that are loaded when they are opened, by "{part}/{language}". */
const parts = import.meta.glob<{ default: object }>('../locales/*/*.json')
const loadedParts = new Set<string>()

/** addPart adds the texts of a part in one language to those that are there. */
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

/** mark tells browsers and screen readers the language and the direction of the page. */
function mark(language: Language): void {
  document.documentElement.lang = language
  document.documentElement.dir = i18next.dir(language)
}

/** setLanguage changes the language of the page and remembers it in this browser. */
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

/** chooseLanguage changes the language before signing in; the person's preferences take it over then. */
export function chooseLanguage(language: Language): Promise<void> {
  sessionStorage.setItem(chosenKey, language)
  return setLanguage(language)
}

/** takeChosenLanguage gives, once, the language that was chosen before signing in. */
export function takeChosenLanguage(): Language | null {
  const chosen = sessionStorage.getItem(chosenKey)
  sessionStorage.removeItem(chosenKey)
  return isLanguage(chosen) ? chosen : null
}
