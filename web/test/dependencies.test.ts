import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

type Package = {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('every dependency is used or a required peer dependency', () => {
  const sources = readdirSync(join(root, 'src'), {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => /\.(tsx?|css)$/.test(name) && !name.includes('.test.'))
  const code = sources.map((name) => read(`src/${name}`)).join('\n')
  const names = Object.keys(
    (JSON.parse(read('package.json')) as Package).dependencies ?? {},
  )
  const imported = names.filter((name) =>
    new RegExp(`['"]${name}(/|['"])`).test(code),
  )
  const left = imported.flatMap((name) =>
    Object.keys(
      (JSON.parse(read(`node_modules/${name}/package.json`)) as Package)
        .peerDependencies ?? {},
    ),
  )
  expect(
    names.filter((name) => !imported.includes(name) && !left.includes(name)),
  ).toEqual([])
})
