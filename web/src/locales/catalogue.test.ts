import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

type Tree = { [key: string]: string | Tree }

function flat(tree: Tree, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[prefix + key, value] as const]
        : [...flat(value, `${prefix}${key}.`)],
    ),
  )
}

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    return /\.tsx?$/.test(name) && !name.includes('.test.')
      ? [readFileSync(path, 'utf8')]
      : []
  })
}

/** whole is the catalogue of a language with all the parts that are loaded later. */
function whole(language: string): Map<string, string> {
  const folder = import.meta.dirname
  const files = readdirSync(folder, {
    recursive: true,
    encoding: 'utf8',
  }).filter(
    (name) => name === `${language}.json` || name.endsWith(`/${language}.json`),
  )
  return new Map(
    files.flatMap((name) => [
      ...flat(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Tree),
    ]),
  )
}

const catalogues = { en: whole('en'), 'pt-BR': whole('pt-BR'), es: whole('es') }
const base = (key: string) => key.replace(/_(one|other|many)$/, '')

describe('the catalogues', () => {
  it('have the same keys in all languages', () => {
    for (const catalogue of Object.values(catalogues))
      expect([...catalogue.keys()].sort()).toEqual(
        [...catalogues.en.keys()].sort(),
      )
  })

  it('have the same variables in all languages', () => {
    const variables = (text: string) =>
      [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort()
    for (const [key, text] of catalogues.en) {
      for (const catalogue of Object.values(catalogues))
        expect([key, ...variables(catalogue.get(key) ?? '')]).toEqual([
          key,
          ...variables(text),
        ])
    }
  })

  it('have every text that the sources use, and no other', () => {
    const code = sources(join(import.meta.dirname, '..')).join('\n')
    const used = new Set(
      [...code.matchAll(/\bt\(\s*'([\w.]+)'/g)].map((match) => match[1] ?? ''),
    )
    for (const match of code.matchAll(
      /\?\s+'([a-z]\w+\.[\w.]+)'\s+:\s+'([a-z]\w+\.[\w.]+)'/g,
    ))
      [match[1], match[2]].forEach((key) => key && used.add(key))
    const families = [...code.matchAll(/\bt\(\s*`([\w.]+)\.\$\{/g)].map(
      (match) => `${match[1] ?? ''}.`,
    )
    const known = new Set([...catalogues.en.keys()].map(base))
    expect([...used].filter((key) => !known.has(key))).toEqual([])
    expect(
      [...known].filter(
        (key) =>
          !used.has(key) && !families.some((family) => key.startsWith(family)),
      ),
    ).toEqual([])
  })
})
