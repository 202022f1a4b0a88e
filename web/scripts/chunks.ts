import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Rolldown } from 'vite'

const root = join(import.meta.dirname, '..')

/** Packages with one index file that exports everything. A module that imports two names does not need the rest. */
const barrels: Record<string, string> = {
  '@mantine/core': join(root, 'node_modules/@mantine/core/esm/index.mjs'),
  '@mantine/hooks': join(root, 'node_modules/@mantine/hooks/esm/index.mjs'),
  '@tabler/icons-react': join(
    root,
    'node_modules/@tabler/icons-react/dist/esm/tabler-icons-react.mjs',
  ),
}

type Imported = { names: string[]; from: string }

/** importsIn parses "import { a, b as c } from 'd'", and the same with export. It returns the public names. */
function importsIn(code: string): Imported[] {
  return [
    ...code.matchAll(
      /(?:import|export)\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g,
    ),
  ].map(([, names = '', from = '']) => ({
    names: names.split(',').map((name) => name.trim()),
    from,
  }))
}

const files = new Map<string, Map<string, string>>()

/** filesOf returns the files of an index file by the names that they export. */
function filesOf(barrel: string): Map<string, string> {
  let known = files.get(barrel)
  if (!known) {
    known = new Map()
    for (const { names, from } of importsIn(readFileSync(barrel, 'utf8')))
      for (const name of names)
        known.set(name.replace(/^.* as /, ''), join(dirname(barrel), from))
    files.set(barrel, known)
  }
  return known
}

const known = new Map<string, Set<string>>()

/** comesWith reports whether loading a source file also loads a module, other than through import(). */
export function comesWith(
  source: string,
  id: string,
  bundle: Rolldown.ChunkingContext,
): boolean {
  let all = known.get(source)
  if (!all) {
    all = new Set()
    const rest = [join(root, 'src', source)]
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      if (all.has(next)) continue
      all.add(next)
      const module = bundle.getModuleInfo(next)
      rest.push(
        ...(module?.importedIds ?? []).filter(
          (imported) => !Object.values(barrels).includes(imported),
        ),
      )
      for (const { names, from } of importsIn(module?.code ?? '')) {
        const barrel = barrels[from]
        if (barrel && existsSync(barrel))
          rest.push(
            ...names.flatMap(
              (name) => filesOf(barrel).get(name.replace(/ as .*$/, '')) ?? [],
            ),
          )
      }
    }
    known.set(source, all)
  }
  return all.has(id)
}
