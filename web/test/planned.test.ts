import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { has, planned } from '../src/api/planned'

it('uses every planned operation as soon as the server has it', () => {
  const document = readFileSync(join(import.meta.dirname, '../src/api/schema.d.ts'), 'utf8')
  const present = Object.fromEntries(Object.entries(planned).map(([name, path]) => [name, document.includes(`    "${path}": {`)]))
  expect(has).toEqual(present)
})
