import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import i18next, { type TFunction } from 'i18next'

export const languages = ['en', 'pt-BR', 'es'] as const

/** read gives a file of the project by its path. */
export const read = (path: string) =>
  readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

/** catalogue gives the texts of a language, or of a part of the app in it. */
export const catalogue = (path: string) =>
  JSON.parse(read(`web/src/locales/${path}.json`)) as Record<
    string,
    Record<string, string>
  >

/** loadTexts gives i18next the texts of all languages, with those of the settings. */
export async function loadTexts(
  lng: (typeof languages)[number],
): Promise<void> {
  const texts = (language: string) => ({
    translation: {
      ...catalogue(language),
      ...catalogue(`settings/${language}`),
      ...catalogue(`integrations/${language}`),
    },
  })
  await i18next.init({
    lng,
    resources: Object.fromEntries(
      languages.map((language) => [language, texts(language)]),
    ),
    interpolation: { escapeValue: false },
  })
}

export const t: TFunction = ((...args: Parameters<TFunction>) =>
  i18next.t(...args)) as TFunction
