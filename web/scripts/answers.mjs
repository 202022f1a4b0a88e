// Validates the responses that tests stored in a folder against the API document in the same folder, with ajv.
//
//   node scripts/answers.mjs FOLDER      the Go tests write to the folder in RECADO_TEST_ANSWERS
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const folder = process.argv[2]
const document = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'document', components: document.components })

/** at resolves a reference in the document. */
const at = (node) =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((inner, step) => inner[step], document)
    : node

const compiled = new Map()

/** compile returns a validator for a schema; results are cached by their place in the document. */
function compile(place, schema) {
  if (!compiled.has(place))
    compiled.set(
      place,
      ajv.compile(
        JSON.parse(
          JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'),
        ),
      ),
    )
  return compiled.get(place)
}

const wrong = new Map()

function check(place, schema, value) {
  const fits = compile(place, schema)
  if (!fits(value)) wrong.set(`${place}: ${ajv.errorsText(fits.errors)}`, value)
}

let count = 0
for (const name of readdirSync(folder).filter((name) =>
  name.endsWith('.jsonl'),
)) {
  for (const line of readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)) {
    const { method, path, status, type, body } = JSON.parse(line)
    const response = at(
      document.paths[path][method.toLowerCase()].responses[status],
    )
    check(
      `${method} ${path} ${status} ${type}`,
      response.content[type].schema,
      body,
    )
    count++
    if (path !== '/events' || status !== '200') continue
    for (const event of body.data) {
      check(
        event.type,
        document.webhooks[event.type].post.requestBody.content[
          'application/json'
        ].schema,
        event,
      )
      count++
    }
  }
}

for (const [error, value] of wrong)
  console.error(`${error}\n  ${JSON.stringify(value).slice(0, 2000)}`)
console.log(
  `${count} answers and events of ${compiled.size} kinds were compared with the API document; ${wrong.size} differences`,
)
if (wrong.size > 0 || count === 0) process.exitCode = 1
