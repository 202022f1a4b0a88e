// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Reception } from '../../api/types'
import { conflicts, fetchReception, saveReception } from './stored'

let version: number
let greeting: string | null

const saying = (text: string): Reception => ({
  enabled: true,
  greeting: text,
  away: null,
  menu: null,
})

/** A server that counts versions and rejects changes based on an older one. */
beforeEach(() => {
  ;[version, greeting] = [1, null]
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'PUT') {
      const based = request.headers.get('If-Match')
      if (based !== null && based !== `"${version}"`)
        return Response.json(
          { code: 'version_conflict', message: 'It has changed.' },
          { status: 409 },
        )
      greeting = ((await request.json()) as Reception).greeting
      version++
    }
    return Response.json(saying(greeting ?? ''), {
      headers: { ETag: `"${version}"` },
    })
  })
})
afterEach(() => vi.unstubAllGlobals())

it('saves a reception based on the version the user saw', async () => {
  const seen = await fetchReception('c')
  const first = await saveReception('c', saying('Hi'), seen.version)
  const second = await saveReception(
    'c',
    saying('Hi there'),
    first.stored.version,
  )
  expect([
    first.conflict,
    second.conflict,
    greeting,
    second.stored.version,
  ]).toEqual([undefined, undefined, 'Hi there', '"3"'])
})

it("does not overwrite a colleague's reception", async () => {
  const seen = await fetchReception('c')
  await saveReception('c', saying("The colleague's"), seen.version)
  const refused = await saveReception('c', saying('Mine'), seen.version)
  expect(conflicts(refused.conflict)).toBe(true)
  expect([greeting, refused.stored.greeting]).toEqual([
    "The colleague's",
    "The colleague's",
  ])
  const again = await saveReception('c', saying('Mine'), refused.stored.version)
  expect([again.conflict, greeting]).toEqual([undefined, 'Mine'])
})
