// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { makeQueryClient, Me } from '../api/queries'
import type { Session } from '../api/types'
import Palette from './Palette'

let asked: { path: string; answer: (response: Response) => void }[]
let root: Root

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  vi.stubGlobal('scrollTo', () => undefined)
  vi.stubGlobal(
    'fetch',
    (request: Request) =>
      new Promise<Response>((answer) =>
        asked.push({
          path: new URL(request.url).pathname.replace(/.*\/v1\//, ''),
          answer,
        }),
      ),
  )
  await i18next.use(initReactI18next).init({ lng: 'en', resources: {} })
})
beforeEach(async () => {
  vi.useFakeTimers({
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'Date',
    ],
  })
  asked = []
  const nothing = () => undefined
  const page = createRootRoute({
    component: () => (
      <Palette onClose={nothing} onHelp={nothing} onSignOut={nothing} />
    ),
  })
  const router = createRouter({
    routeTree: page,
    history: createMemoryHistory(),
  })
  await router.load()
  root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() =>
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={makeQueryClient()}>
          <Me.Provider value={{ scopes: [] as string[] } as Session}>
            <RouterProvider router={router} />
          </Me.Provider>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  )
  await until(() => expect(field()).not.toBeNull())
})
afterEach(() => {
  act(() => root.unmount())
  vi.useRealTimers()
})

const field = () => document.querySelector<HTMLInputElement>('[role=searchbox]')

/** found returns the results without the commands. */
const found = () =>
  [...document.querySelectorAll('[role=option]')]
    .map((one) => one.textContent)
    .filter((text) => !/palette.commands|shell.settings/.test(text))

/** pass flushes pending work and advances the fake clock a little. */
const pass = () =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(50)
    for (let turn = 0; turn < 10; turn++)
      await new Promise((resolve) => setImmediate(resolve))
  })

/** until polls with the fake clock, so that slow machines do not matter. */
async function until(check: () => void) {
  for (let turn = 0; turn < 100; turn++) {
    await pass()
    try {
      return check()
    } catch {
      continue
    }
  }
  check()
}

/** type enters a text and waits until its three searches have started. */
async function type(text: string) {
  act(() => {
    Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value',
    )?.set?.call(field(), text)
    field()?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await begun(3)
}
const begun = (n: number) =>
  until(() =>
    expect(asked.map(({ path }) => path).sort()).toEqual(
      Array.from({ length: n / 3 }, () => [
        'contacts',
        'conversations',
        'kanban/cards',
      ])
        .flat()
        .sort(),
    ),
  )

/** answer responds to the latest search of one kind and flushes the update. */
async function answer(path: string, body: object, status = 200) {
  asked
    .findLast((one) => one.path === path)
    ?.answer(Response.json(body, { status }))
  await pass()
}

const lia = { data: [{ id: '1', name: 'Lia', phone: '+5511912340001' }] }
const card = { data: [{ id: '2', title: 'Call Lia back', board_id: '3' }] }
const inOrder = [
  expect.stringContaining('palette.conversations'),
  expect.stringContaining('palette.contacts'),
  expect.stringContaining('palette.cards'),
]

it('shows all results together, so that none moves under the pointer', async () => {
  await type('lia')
  await answer('contacts', lia)
  await answer('kanban/cards', card)
  expect(found()).toEqual([])
  await answer('conversations', lia)
  await until(() => expect(found()).toEqual(inOrder))
})

it('retries all searches after a temporary failure', async () => {
  await type('lia')
  await answer('conversations', lia)
  await answer('contacts', { code: 'unavailable' }, 503)
  await answer('kanban/cards', card)
  expect(found()).toEqual([])
  await begun(6)
  await answer('conversations', lia)
  await answer('contacts', lia)
  await answer('kanban/cards', card)
  await until(() => expect(found()).toEqual(inOrder))
})

it('shows the other results if one search is refused', async () => {
  await type('lia')
  await answer('conversations', lia)
  await answer('contacts', lia)
  await answer('kanban/cards', { code: 'scope_missing' }, 403)
  await until(() => expect(found()).toEqual(inOrder.slice(0, 2)))
  expect(asked).toHaveLength(3)
})
