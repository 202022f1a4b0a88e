// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import {
  actAs,
  answer,
  api,
  asking,
  Failure,
  onSessionEnd,
  personHeaders,
  sessionBegan,
} from './client'

const missing = { code: 'session_missing', message: 'sign in' }
const refused = () => ({
  error: missing,
  response: new Response(null, { status: 401 }),
})

it('tells that the session ended when an answer says so', async () => {
  let told = 0
  const stop = onSessionEnd(() => told++)
  await expect(answer(Promise.resolve(refused()))).rejects.toBeInstanceOf(
    Failure,
  )
  expect(told).toBe(1)
  asking()(401, missing)
  expect(told).toBe(2)
  asking()(401, { code: 'invalid_credentials', message: 'wrong' })
  expect(told).toBe(2)
  stop()
})

it('does not take a refusal of the session before for one of the new session', async () => {
  let told = 0
  const stop = onSessionEnd(() => told++)
  let refuse = () => {}
  const late = answer(
    new Promise<ReturnType<typeof refused>>((resolve) => {
      refuse = () => resolve(refused())
    }),
  )
  const failure = asking()
  sessionBegan()
  refuse()
  await expect(late).rejects.toMatchObject({ status: 401 })
  failure(401, missing)
  expect(told).toBe(0)
  stop()
})

it('tells that the session is that of another person', () => {
  const told: string[] = []
  const stop = onSessionEnd((why) => told.push(why))
  asking()(403, { code: 'session_changed', message: 'another' })
  asking()(401, missing)
  asking()(403, { code: 'insufficient_scope', message: 'no' })
  expect(told).toEqual(['changed', 'missing'])
  stop()
})

it('names the person in every request once it is known, and never another one', async () => {
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
