// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import {
  actAs,
  api,
  startRequest,
  Failure,
  onSessionEnd,
  personHeaders,
  sessionBegan,
  unwrap,
} from './client'

const missing = { code: 'session_missing', message: 'sign in' }
const refused = () => ({
  error: missing,
  response: new Response(null, { status: 401 }),
})

it('reports the end of the session', async () => {
  let told = 0
  const stop = onSessionEnd(() => told++)
  await expect(unwrap(Promise.resolve(refused()))).rejects.toBeInstanceOf(
    Failure,
  )
  expect(told).toBe(1)
  startRequest()(401, missing)
  expect(told).toBe(2)
  startRequest()(401, { code: 'invalid_credentials', message: 'wrong' })
  expect(told).toBe(2)
  stop()
})

it('ignores failed requests of a previous session', async () => {
  let told = 0
  const stop = onSessionEnd(() => told++)
  let refuse = () => {}
  const late = unwrap(
    new Promise<ReturnType<typeof refused>>((resolve) => {
      refuse = () => resolve(refused())
    }),
  )
  const failure = startRequest()
  sessionBegan()
  refuse()
  await expect(late).rejects.toMatchObject({ status: 401 })
  failure(401, missing)
  expect(told).toBe(0)
  stop()
})

it('reports that another user is signed in', () => {
  const told: string[] = []
  const stop = onSessionEnd((why) => told.push(why))
  startRequest()(403, { code: 'session_changed', message: 'another' })
  startRequest()(401, missing)
  startRequest()(403, { code: 'insufficient_scope', message: 'no' })
  expect(told).toEqual(['changed', 'missing'])
  stop()
})

it("sends the user's id with every request and never switches users", async () => {
  const named: (string | null)[] = []
  vi.stubGlobal('fetch', (request: Request) => {
    named.push(request.headers.get('X-Recado-User'))
    return Promise.resolve(Response.json({}))
  })
  await api.GET('/session')
  expect([actAs('ana'), actAs('caio'), actAs('ana')]).toEqual([
    true,
    false,
    true,
  ])
  await api.GET('/inbox/counts')
  await api.POST('/conversations/{id}/notes', {
    params: { path: { id: 'c' } },
    body: { client_id: 'n', text: 'x', mentions: [] },
  })
  expect([named, personHeaders()]).toEqual([
    [null, 'ana', 'ana'],
    { 'X-Recado-User': 'ana' },
  ])
})
