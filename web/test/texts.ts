import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import i18next from 'i18next'

export const languages = ['en', 'pt-BR', 'es'] as const

/** read returns the text of a file; the path is relative to the repository. */
export const read = (path: string) =>
  readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

/** catalogue returns one catalogue file: "es", or "boards/es" for a part. */
export const catalogue = (path: string) =>
  JSON.parse(read(`web/src/locales/${path}.json`)) as Record<
    string,
    Record<string, string>
  >

/** loadTexts initialises i18next with all languages, including the settings and integrations parts. */
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

export const { t } = i18next
