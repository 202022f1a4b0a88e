// @vitest-environment jsdom
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { keys } from '../api/keys'
import { defaultPreferences, makeQueryClient } from '../api/queries'
import type { Preferences } from '../api/types'
import { usePreference } from './usePreference'
import { takeToasts } from '../ui/toast'

type Arrived = {
  body: Partial<Preferences>
  answer: (response: Response) => void
}

let server: Preferences
let arrived: Arrived[]
let gets: number
let toasts: string[]
let client: QueryClient
let root: Root
let shown: Preferences
let change: (fields: Partial<Preferences>) => Promise<void>

const json = (body: object, status = 200) => Response.json(body, { status })

beforeAll(async () => {
  await i18next.use(initReactI18next).init({ lng: 'en', resources: {} })
  takeToasts(({ message }) => toasts.push(message))
})
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  server = { ...defaultPreferences, theme: 'system' }
  arrived = []
  gets = 0
  toasts = []
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'GET') {
      gets++
      return json(server)
    }
    const body = (await request.json()) as Partial<Preferences>
    return new Promise<Response>((answer, fail) => {
      arrived.push({ body, answer })
      request.signal.addEventListener('abort', () =>
        fail(request.signal.reason),
      )
    })
  })
  client = makeQueryClient()
  client.setQueryData(keys.preferences, server)
  root = createRoot(document.createElement('div'))
  act(() =>
    root.render(
      <QueryClientProvider client={client}>
        <Profile />
      </QueryClientProvider>,
    ),
  )
})
afterEach(() => {
  act(() => root.unmount())
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function Profile() {
  ;[shown, change] = usePreference()
  return null
}

/** choose clicks without waiting for the server. */
const choose = (fields: Partial<Preferences>) => act(() => void change(fields))
const onItsWay = () => arrived.map(({ body }) => body)
const kept = () => client.getQueryData<Preferences>(keys.preferences)

/** until waits for the effects of a response. */
const until = (check: () => void) =>
  act(() => vi.waitFor(check, { timeout: 10_000 }))

/** sent waits until exactly these changes have reached the server. */
async function sent(...bodies: Partial<Preferences>[]) {
  await until(() =>
    expect(arrived.length).toBeGreaterThanOrEqual(bodies.length),
  )
  await act(() => new Promise((resolve) => setTimeout(resolve)))
  expect(onItsWay()).toEqual(bodies)
}

/** take lets the server accept a request and respond; refuse lets it reject the request. */
function take(index: number) {
  server = { ...server, ...arrived[index]?.body }
  arrived[index]?.answer(json(server))
}
const refuse = (index: number) =>
  arrived[index]?.answer(
    json({ code: 'unavailable', message: 'The server is busy.' }, 503),
  )

it('sends quick changes of a preference in order, so that the last one wins', async () => {
  choose({ theme: 'dark' })
  choose({ theme: 'light' })
  expect(shown.theme).toBe('light')
  await sent({ theme: 'dark' })
  take(0)
  await sent({ theme: 'dark' }, { theme: 'light' })
  expect([shown.theme, kept()?.theme]).toEqual(['light', 'light'])
  take(1)
  await until(() => expect([shown, kept()]).toEqual([server, server]))
  expect(server.theme).toBe('light')
})

it('keeps quick changes of two preferences despite older responses', async () => {
  choose({ theme: 'dark' })
  choose({ sound: 'none' })
  await sent({ theme: 'dark' })
  take(0)
  await sent({ theme: 'dark' }, { sound: 'none' })
  expect(shown).toMatchObject({ theme: 'dark', sound: 'none' })
  take(1)
  await until(() => expect([shown, kept()]).toEqual([server, server]))
  expect(server).toMatchObject({ theme: 'dark', sound: 'none' })
})

it("shows the error and the server's value after a failed change", async () => {
  choose({ theme: 'dark' })
  choose({ theme: 'light' })
  await sent({ theme: 'dark' })
  take(0)
  await sent({ theme: 'dark' }, { theme: 'light' })
  refuse(1)
  await until(() => expect(toasts).toHaveLength(1))
  expect([shown.theme, kept()?.theme, server.theme]).toEqual([
    'dark',
    'dark',
    'dark',
  ])
  await until(() => expect(gets).toBe(1))
})

it('reverts a failed change and keeps the next one', async () => {
  choose({ theme: 'dark' })
  choose({ sound: 'none' })
  await sent({ theme: 'dark' })
  refuse(0)
  await until(() => expect(toasts).toHaveLength(1))
  expect(shown).toMatchObject({ theme: 'system', sound: 'none' })
  await sent({ theme: 'dark' }, { sound: 'none' })
  take(1)
  await until(() => expect([shown, kept()]).toEqual([server, server]))
  expect(server).toMatchObject({ theme: 'system', sound: 'none' })
})

it('reverts a change that timed out and sends the next one', async () => {
  const silence = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(silence.signal)
  choose({ theme: 'dark' })
  choose({ sound: 'none' })
  await sent({ theme: 'dark' })
  silence.abort(new DOMException('The operation timed out.', 'TimeoutError'))
  await sent({ theme: 'dark' }, { sound: 'none' })
  expect(toasts).toHaveLength(1)
  expect(shown).toMatchObject({ theme: 'system', sound: 'none' })
  take(1)
  await until(() => expect([shown, kept()]).toEqual([server, server]))
})
