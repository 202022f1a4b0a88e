// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Conversation } from '../../api/types'
import { forgetDrafts, ownDrafts, readDraft, saveDraft } from './drafts'
import { useServerDraft } from './useServerDraft'

const calls: string[] = []
let held: ((answer: Response) => void) | null = null

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', (request: Request) => {
    calls.push(request.method)
    return new Promise<Response>((resolve) => (held = resolve))
  })
  ownDrafts('ana')
})
afterEach(() => {
  forgetDrafts()
  calls.length = 0
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

type Sync = ReturnType<typeof useServerDraft>

function Field({
  conversation,
  ready,
}: {
  conversation: Conversation
  ready: (sync: Sync) => void
}) {
  ready(useServerDraft(conversation, 'ana'))
  return null
}

/** Tab is a browser tab with the conversation open. server imitates the draft arriving through the live stream. */
class Tab {
  private sync: Sync = () => undefined
  private root = createRoot(document.createElement('div'))
  private client = new QueryClient()
  server(text: string | null, updated_at = new Date().toISOString()) {
    const draft =
      text === null ? null : { text, updated_at, reply_to_external_id: null }
    act(() =>
      this.root.render(
        <QueryClientProvider client={this.client}>
          <Field
            conversation={{ id: 'c', draft } as unknown as Conversation}
            ready={(sync) => (this.sync = sync)}
          />
        </QueryClientProvider>,
      ),
    )
  }
  close() {
    act(() => this.root.unmount())
  }
  type(text: string) {
    saveDraft('c', { text })
    this.sync(text, null)
  }
}

const shown = () => readDraft('c')?.text ?? ''
const wait = (milliseconds: number) =>
  act(() => vi.advanceTimersByTimeAsync(milliseconds))
const called = (...methods: string[]) =>
  vi.waitFor(() => expect(calls).toEqual(methods))
const answered = async () => {
  held?.(new Response(null, { status: 204 }))
  await wait(0)
}

it('does not restore a sent text when its draft arrives late', async () => {
  const [tab, other] = [new Tab(), new Tab()]
  tab.server(null)
  other.server(null)
  tab.type('Sai agora')
  await wait(1200)
  await called('PUT')
  tab.type('')
  tab.server('Sai agora')
  other.server('Sai agora')
  expect(shown()).toBe('')
  await answered()
  await answered()
  tab.server(null)
  other.server(null)
  tab.server('Sai agora') // an outdated response
  expect(shown()).toBe('')
  await wait(61_000)
  expect([readDraft('c'), localStorage.length]).toEqual([null, 0])
})

it('keeps newer text although another tab sees the older draft', async () => {
  const [tab, other] = [new Tab(), new Tab()]
  tab.server(null)
  other.server(null)
  tab.type('Sai')
  await wait(1200)
  tab.type('Sai agora')
  other.server('Sai')
  expect(shown()).toBe('Sai agora')
})

it("deletes the server's draft after the request that stored it", async () => {
  const tab = new Tab()
  tab.server(null)
  tab.type('Sai')
  await wait(1200)
  tab.type('')
  await wait(0)
  await called('PUT')
  await answered()
  await called('PUT', 'DELETE')
})

it('loads a draft from another device and removes it when it is sent there', () => {
  const tab = new Tab()
  tab.server(null)
  tab.server('Do telefone')
  expect(shown()).toBe('Do telefone')
  tab.server(null)
  expect(shown()).toBe('')
})

it('keeps text that has not reached the server when a draft from another device arrives', async () => {
  const tab = new Tab()
  tab.server('Oi', '2026-11-17T10:00:00Z')
  tab.type('Oi, Bia')
  await wait(10_000) // the request hangs
  tab.server('Do telefone', '2026-11-17T10:00:20Z')
  expect(shown()).toBe('Oi, Bia')
  await answered() // now both are on the server, and the newer one wins
  tab.server('Do tablet', '2026-11-17T10:00:30Z')
  expect(shown()).toBe('Do tablet')
})

it('keeps a rejected text although its draft is gone', async () => {
  const tab = new Tab()
  tab.server(null)
  tab.type('Oi')
  await wait(1200)
  tab.server('Oi')
  tab.type('')
  saveDraft('c', { text: 'Oi', refusal: 'The contact is blocked.' })
  await answered()
  await answered()
  tab.server(null)
  expect(readDraft('c')).toMatchObject({
    text: 'Oi',
    refusal: 'The contact is blocked.',
  })
})

/** kept types a text in one tab, waits until the server has it, and closes the tab. */
async function kept(text: string) {
  const tab = new Tab()
  tab.server(null)
  tab.type(text)
  await wait(1200)
  await called('PUT')
  await answered()
  tab.close()
  calls.length = 0
  await wait(61_000)
}

const conversation = (draft: string | null) =>
  Response.json({
    id: 'c',
    draft:
      draft === null
        ? null
        : {
            text: draft,
            updated_at: new Date().toISOString(),
            reply_to_external_id: null,
          },
  })

it('clears a draft that was sent from another device when the conversation is reopened', async () => {
  await kept('Sai agora')
  expect(shown()).toBe('Sai agora')
  const tab = new Tab()
  tab.server(null)
  await called('GET')
  held?.(conversation(null))
  await wait(0)
  await vi.waitFor(() => expect(shown()).toBe(''))
})

it('keeps a draft that the server still has or that was edited since', async () => {
  await kept('Sai agora')
  const tab = new Tab()
  tab.server(null) // from an outdated list
  await called('GET')
  held?.(conversation('Sai agora'))
  await wait(0)
  expect(shown()).toBe('Sai agora')
  tab.close()
  const again = new Tab()
  again.server(null)
  await called('GET', 'GET')
  saveDraft('c', { text: 'Sai agora mesmo' })
  held?.(conversation(null))
  await wait(0)
  expect(shown()).toBe('Sai agora mesmo')
})

it('does not check drafts that never reached the server', async () => {
  saveDraft('c', { text: 'Sem rede' })
  const tab = new Tab()
  tab.server(null)
  await wait(0)
  expect([calls, shown()]).toEqual([[], 'Sem rede'])
})

it('keeps a text that is typed again right after sending', () => {
  const tab = new Tab()
  tab.server('Sai agora') // written on another device
  expect(shown()).toBe('Sai agora')
  tab.type('') // after sending
  tab.type('Sai agora')
  tab.server(null)
  expect(shown()).toBe('Sai agora')
})
