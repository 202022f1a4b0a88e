// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { answer, asking, Failure, onSessionEnd, sessionBegan } from '../src/api/client'

const missing = { code: 'session_missing', message: 'sign in' }
const refused = () => ({ error: missing, response: new Response(null, { status: 401 }) })

it('tells that the session ended when an answer says so', async () => {
  let told = 0
  const stop = onSessionEnd(() => told++)
  await expect(answer(Promise.resolve(refused()))).rejects.toBeInstanceOf(Failure)
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
  const late = answer(new Promise<ReturnType<typeof refused>>((resolve) => { refuse = () => resolve(refused()) }))
  const failure = asking()
  sessionBegan()
  refuse()
  await expect(late).rejects.toMatchObject({ status: 401 })
  failure(401, missing)
  expect(told).toBe(0)
  stop()
})
