// Validates the responses that tests stored in a folder against the API document of their server, with ajv.
//
//   node scripts/answers.mjs FOLDER      the Go tests write to the folder in RECADO_TEST_ANSWERS
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const folder = process.argv[2]

/** A Document validates values against one OpenAPI document. */
class Document {
  compiled = new Map()

  constructor(text) {
    this.root = JSON.parse(text)
    this.ajv = new Ajv({ strict: false, allErrors: true })
    addFormats(this.ajv)
    this.ajv.addSchema({ $id: 'document', components: this.root.components })
  }

  /** at resolves a reference. */
  at(node) {
    return node?.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((inner, step) => inner[step], this.root)
      : node
  }

  /** validator compiles a schema once for each place in the document. */
  validator(place, schema) {
    if (!this.compiled.has(place))
      this.compiled.set(
        place,
        this.ajv.compile(
          JSON.parse(
            JSON.stringify(schema).replaceAll(
              '"$ref":"#/',
              '"$ref":"document#/',
            ),
          ),
        ),
      )
    return this.compiled.get(place)
  }
}

const documents = new Map()

/** documentOf returns the document of a process. Nearly all are equal. */
function documentOf(name) {
  const text = readFileSync(join(folder, name.replace(/l$/, '')), 'utf8')
  if (!documents.has(text)) documents.set(text, new Document(text))
  return documents.get(text)
}

const wrong = new Map()
const places = new Set()
let count = 0

function check(document, place, schema, value) {
  const fits = document.validator(place, schema)
  if (!fits(value))
    wrong.set(`${place}: ${document.ajv.errorsText(fits.errors)}`, value)
  places.add(place)
  count++
}

for (const name of readdirSync(folder).filter((name) =>
  name.endsWith('.jsonl'),
)) {
  const document = documentOf(name)
  for (const line of readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)) {
    const { method, path, status, type, body } = JSON.parse(line)
    const response = document.at(
      document.root.paths[path][method.toLowerCase()].responses[status],
    )
    check(
      document,
      `${method} ${path} ${status} ${type}`,
      response.content[type].schema,
      body,
    )
    if (path !== '/events' || status !== '200') continue
    for (const event of body.data) {
      check(
        document,
        event.type,
        document.root.webhooks[event.type].post.requestBody.content[
          'application/json'
        ].schema,
        event,
      )
    }
  }
}

for (const [error, value] of wrong)
  console.error(`${error}\n  ${JSON.stringify(value).slice(0, 2000)}`)
console.log(
  `${count} answers and events of ${places.size} kinds were compared with the API document; ${wrong.size} differences`,
)
if (wrong.size > 0 || count === 0) process.exitCode = 1
