// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
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
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { server } from '../../test/streams'
import { loadTexts } from '../../test/texts'
import { keys } from '../api/keys'
import { makeQueryClient } from '../api/queries'
import type { Channel, Link } from '../api/types'
import { LinkSection } from './LinkSection'

type Stream = Awaited<ReturnType<ReturnType<typeof server>['next']>>

let root: Root
let client: QueryClient
let next: () => Promise<Stream>
let calls: string[]
let respond: (() => void) | undefined // to the requests for a pairing code, which wait

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  vi.stubGlobal('scrollTo', () => undefined)
  i18next.use(initReactI18next)
  await loadTexts('en')
})
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

/** show renders the section of a number. */
async function show(fields: Partial<Channel>): Promise<void> {
  const streams = server()
  next = streams.next
  calls = []
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) => {
    if (typeof input === 'string') return streams.fetch(input, init)
    calls.push(`${input.method} ${new URL(input.url).pathname}`)
    if (input.method === 'POST')
      return new Promise((resolve) => {
        respond = () => resolve(Response.json({}))
      })
    return Promise.resolve(new Response(null, { status: 204 }))
  })
  const channel = {
    id: 'shop',
    name: 'Shop',
    phone: null,
    provider: 'linked',
    status: 'disconnected',
    status_reason: { code: 'not_linked', params: {}, message: '' },
    ...fields,
  } as Channel
  client = makeQueryClient()
  client.setQueryData(keys.channels, [channel])
  const page = createRootRoute({
    component: () => <LinkSection channel={channel} />,
  })
  const router = createRouter({
    routeTree: page,
    history: createMemoryHistory(),
  })
  await router.load()
  root = createRoot(document.body.appendChild(document.createElement('div')))
  await act(async () => {
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>,
    )
    await Promise.resolve()
  })
}

const nothing: Link = {
  state: 'waiting',
  qr: null,
  pairing_code: null,
  expires_at: null,
  error: null,
  phone: null,
  online: false,
  seen_at: null,
  history: null,
}

/** send sends a state of the link, and waits until the page shows a text. */
async function send(stream: Stream, link: Partial<Link>, text: string) {
  await act(async () => {
    stream.push(`data: ${JSON.stringify({ ...nothing, ...link })}\n\n`)
    await new Promise((resolve) => setTimeout(resolve))
  })
  await shows(text)
}

const shows = (text: string) =>
  vi.waitFor(async () => {
    await act(() => Promise.resolve())
    expect(document.body.textContent).toContain(text)
  })

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (one) => one.textContent === name,
  )

const click = (name: string) =>
  act(async () => {
    button(name)?.click()
    await new Promise((resolve) => setTimeout(resolve))
  })

const code = () => document.querySelector('svg[role=img]')

it('shows the codes, then the phone, the import and the state of the link', async () => {
  await show({})
  const stream = await next()
  await shows('WhatsApp doesn’t offer this to businesses')
  expect(code()).toBeNull()
  await send(stream, { qr: 'first' }, 'Point the camera at the code.')
  await vi.waitFor(() => expect(code()).not.toBeNull())
  const first = code()?.innerHTML
  await send(stream, { qr: 'second' }, 'Point the camera')
  await vi.waitFor(() => expect(code()?.innerHTML).not.toBe(first))
  await send(stream, { state: 'scanned' }, 'Linking…')
  const linked = {
    state: 'linked',
    phone: '+5511912345678',
    online: true,
    seen_at: '2026-11-18T12:00:00Z',
    history: 40,
  } as const
  await send(stream, linked, 'Linked and online')
  await shows('+55 11 91234-5678')
  await shows('Importing the last 90 days from the phone, 40%')
  expect(client.getQueryState(keys.channels)?.isInvalidated).toBe(true)
  await send(stream, { ...linked, history: 100 }, 'were imported')
  await send(stream, { ...linked, online: false }, 'Linked, but offline')
})

it('shows the pairing code', async () => {
  await show({})
  const stream = await next()
  await send(stream, { qr: 'first' }, 'Point the camera')
  await click('Link with phone number instead')
  await shows('type the code')
  await send(stream, { pairing_code: 'ABCD-EFGH' }, 'ABCD-EFGH')
  await click('Scan a QR code instead')
  await send(await next(), { qr: 'second' }, 'Point the camera')
  expect(calls).toEqual(['DELETE /v1/channels/shop/link'])
})

it('says why linking failed and starts again', async () => {
  await show({})
  const error = { code: 'number_taken', params: {}, message: '' }
  await send(
    await next(),
    { state: 'failed', error },
    'This number is already connected in Recado.',
  )
  await click('Try again')
  await send(await next(), { qr: 'first' }, 'Point the camera')
  expect(calls).toEqual([]) // unlinking would delete keys that may still work
})

it('asks for the number again although the request for the first code has not returned', async () => {
  await show({ phone: '+5511912345678' })
  await click('Link again')
  const stream = await next()
  await send(stream, { qr: 'first' }, 'Point the camera')
  await click('Link with phone number instead')
  await click('Get a code')
  await vi.waitFor(() => expect(calls).toEqual(['POST /v1/channels/shop/link']))
  const error = { code: 'link_refused', params: {}, message: '' }
  await send(stream, { state: 'failed', error }, 'Try again')
  await click('Try again')
  await send(await next(), { qr: 'second' }, 'Get a code')
  await act(async () => {
    respond?.()
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(button('Get a code')).toBeDefined()
})

it('says why and until when WhatsApp banned a number', async () => {
  await show({})
  const params = {
    reason: 'blocked_by_users',
    expires_at: '2026-11-18T12:00:00Z',
  }
  await send(
    await next(),
    { state: 'failed', error: { code: 'number_banned', params, message: '' } },
    'too many people blocked it',
  )
  await shows('End of the ban:')
})

it('says why a link ended and does not start by itself', async () => {
  const phone = '+5511912345678'
  await show({ phone, status: 'connected', status_reason: null })
  const stream = await next()
  await send(stream, { state: 'linked', phone }, 'Linked, but offline')
  await send(
    stream,
    {},
    'Nothing is sent or received here until the number is linked again.',
  )
  await click('Link again')
  await send(await next(), { qr: 'first' }, 'Point the camera')
})

it('says what to do about a number that is not linked any more', async () => {
  await show({
    phone: '+5511912345678',
    status_reason: { code: 'logged_out', params: {}, message: '' },
  })
  await shows('The link was removed on the phone.')
  expect(button('Link again')).toBeDefined()
})

it('does not offer to link where numbers cannot be linked', async () => {
  await show({
    phone: '+5511912345678',
    status_reason: { code: 'links_unavailable', params: {}, message: '' },
  })
  await shows('doesn’t support numbers linked by QR code')
  expect(button('Link again')).toBeUndefined()
})
