import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The type check verifies that every key used in the code exists in English (see i18next.d.ts).

type Tree = { [key: string]: string | Tree }

function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  )
}

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })

/** textsOf returns all texts of a language, with the part of the app and the key: "boards/boards.title". */
function textsOf(language: string): Map<string, string> {
  const folder = import.meta.dirname
  const found = files(folder).filter((name) =>
    `/${name}`.endsWith(`/${language}.json`),
  )
  return new Map(
    found.flatMap((name) =>
      flatten(
        JSON.parse(readFileSync(join(folder, name), 'utf8')) as Tree,
        name.replace(`${language}.json`, ''),
      ),
    ),
  )
}

const english = textsOf('en')
const translations = { 'pt-BR': textsOf('pt-BR'), es: textsOf('es') }

const placeholders = (text: string | undefined) =>
  [...(text ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([sign]) => sign).sort()

describe.each(Object.entries(translations))('%s', (_, texts) => {
  it('has the same keys as English', () => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort())
  })

  it('has the same placeholders as English', () => {
    const differing = [...english].filter(
      ([key, text]) =>
        placeholders(texts.get(key)).join() !== placeholders(text).join(),
    )
    expect(differing).toEqual([])
  })
})

describe('English', () => {
  it('has both forms of every plural', () => {
    const counterpart = (key: string) =>
      key.endsWith('_one')
        ? key.replace(/_one$/, '_other')
        : key.replace(/_other$/, '_one')
    const lonely = [...english.keys()].filter(
      (key) => /_(one|other)$/.test(key) && !english.has(counterpart(key)),
    )
    expect(lonely).toEqual(['wrong.exactly_one']) // a code, not a plural
  })

  it('has no text that the code does not use', () => {
    const folder = join(import.meta.dirname, '..')
    const code = files(folder)
      .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.ts/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    const literals = new Set(
      [...code.matchAll(/'(\w+(?:\.\w+)+)'/g)].map((match) => match[1]),
    )
    const families = [...code.matchAll(/`([\w.]+\.)\$\{/g)].flatMap(
      (match) => match[1] ?? [],
    )
    const unused = [...english.keys()]
      .map((key) => key.replace(/^\w+\//, '').replace(/_(one|other)$/, ''))
      .filter(
        (key) =>
          !literals.has(key) &&
          !families.some((family) => key.startsWith(family)),
      )
    expect(unused).toEqual([])
  })
})
