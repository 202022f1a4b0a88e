// Generates src/api/schema.d.ts from the API document of the server. With --check it only checks that the file is up to date.
//
//   node scripts/schema.mjs [--check]      RECADO is the binary, bin/recado by default
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'

const target = join(import.meta.dirname, '../src/api/schema.d.ts')
const binary =
  process.env.RECADO ?? join(import.meta.dirname, '../../bin/recado')

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

async function readDocument() {
  const folder = mkdtempSync(join(tmpdir(), 'recado-schema-'))
  const port = await freePort()
  const server = spawn(
    binary,
    ['serve', '--data', folder, '--addr', `127.0.0.1:${port}`],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => server.once('exit', resolve))
  try {
    for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
      const answer = await fetch(
        `http://127.0.0.1:${port}/v1/openapi.json`,
      ).catch(() => null)
      if (answer?.ok) return await answer.json()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`${binary} does not respond`)
  } finally {
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

const words = [
  'description',
  'summary',
  'example',
  'examples',
  'title',
  'format',
  'headers',
  'security',
  'tags',
  '$schema',
]

/** plain removes descriptions, formats and errors, so that the types change only if the API does, and files, which the app saves unread. */
function plain(value, key = '') {
  if (Array.isArray(value)) return value.map((one) => plain(one))
  if (typeof value !== 'object' || value === null) return value
  const names = key === 'properties' || key === 'schemas'
  const kept = Object.entries(value).filter(
    ([name]) =>
      (names || !words.includes(name)) &&
      !(key === 'responses' && name >= '300') &&
      name !== 'text/csv',
  )
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, plain(inner, names ? '' : name)]),
  )
}

/** errorCodes returns the error codes in the document. */
const errorCodes = (document) =>
  document.components.schemas.ErrorCode.anyOf[0].enum.toSorted()

const document = await readDocument()
delete document.webhooks // the app receives no events
const types = astToString(
  await openapiTS(plain(document), { alphabetize: true }),
)
const codes = errorCodes(document)
  .map((code) => `    | "${code}"`)
  .join('\n')
const text = `// Made by "make web-types" from the API document. Do not edit.\n\n${types}/** The codes of refusals. */\nexport type ErrorCode =\n${codes};\n`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error(
    'src/api/schema.d.ts is not what the API document gives: run "make web-types" and commit it',
  )
  process.exitCode = 1
}
