import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../src')

/** imports returns the sources that a source imports, without types and lazy imports. */
function imports(file: string): string[] {
  const code = readFileSync(join(root, file), 'utf8')
  const paths = code.matchAll(
    /^(?:import|export)\s+(?!type\b)[^'"]*?['"](\.[^'"]+)['"]/gm,
  )
  return [...paths].flatMap(([, path]) => {
    const base = join(dirname(file), path ?? '')
    return ['', '.ts', '.tsx']
      .map((end) => base + end)
      .filter((one) => /\.tsx?$/.test(one) && existsSync(join(root, one)))
  })
}

it('there are no import cycles', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, above: string[]) => {
    if (above.includes(file)) {
      cycles.push([...above.slice(above.indexOf(file)), file].join(' > '))
      return
    }
    if (done.has(file)) return
    for (const next of imports(file)) visit(next, [...above, file])
    done.add(file)
  }
  for (const file of files.filter((name) => /\.tsx?$/.test(name)))
    visit(file, [])
  expect(done.size).toBeGreaterThan(200)
  expect(cycles).toEqual([])
})
