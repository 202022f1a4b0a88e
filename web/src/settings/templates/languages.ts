/** languages are the codes that WhatsApp has for templates. */
export const languages =
  'af sq ar az bn bg ca zh_CN zh_HK zh_TW hr cs da nl en en_GB en_US et fil fi fr ka de el gu ha he hi hu id ga it ja kn kk rw_RW ko ky_KG lo lv lt mk ms ml mr nb fa pl pt_BR pt_PT pa ro ru sr sk sl es es_AR es_ES es_MX sw sv ta te th tr uk ur uz vi zu'.split(
    ' ',
  )

/** languageName returns the name of a language in another language, with a capital letter: pt_BR is "Brazilian Portuguese". */
export function languageName(code: string, shown: string): string {
  try {
    const names = new Intl.DisplayNames(shown, { type: 'language' })
    const name = names.of(code.replace('_', '-')) ?? code
    return name.charAt(0).toLocaleUpperCase(shown) + name.slice(1)
  } catch {
    return code
  }
}

/** languageChoices returns all languages by name; those of the app's users come first. */
export function languageChoices(shown: string, used: string) {
  const first = ['pt_BR', 'en_US', 'es']
  return [...new Set([...languages, used])]
    .map((code) => ({ value: code, label: languageName(code, shown) }))
    .sort(
      (a, b) =>
        Number(first.includes(b.value)) - Number(first.includes(a.value)) ||
        a.label.localeCompare(b.label, shown),
    )
}
