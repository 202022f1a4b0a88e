// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { loadTexts } from '../../../test/texts'
import { makeQueryClient } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { MemberMentions } from './Mentions'

let root: Root

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  Element.prototype.scrollIntoView = () => undefined // missing in jsdom
  i18next.use(initReactI18next)
  await loadTexts('en')
})
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

const member = (name: string, phone: string) => ({
  contact: null,
  name,
  phone,
  role: 'member',
})

/** The pages of members, by cursor. */
const pages: Record<string, object> = {
  first: {
    data: [member('Maria', '+5511987654321'), member('Ana', '+5511911112222')],
    next_cursor: 'second',
  },
  second: { data: [member('Ana', '+5511933334444')], next_cursor: null },
}

it('suggests the members of all pages, and writes the numbers of two with the same name', async () => {
  vi.stubGlobal('fetch', ({ url }: Request) => {
    const cursor = new URL(url).searchParams.get('cursor') ?? 'first'
    return Promise.resolve(Response.json(pages[cursor]))
  })
  const chosen: string[] = []
  root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() =>
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={makeQueryClient()}>
          <MemberMentions
            conversation={{ id: 'party' } as Conversation}
            filter=""
            onChoose={(text) => chosen.push(text)}
            onClose={() => undefined}
          />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  )
  await vi.waitFor(async () => {
    await act(() => Promise.resolve())
    expect(document.querySelectorAll('[role=option]')).toHaveLength(3)
  })
  for (const option of document.querySelectorAll<HTMLElement>('[role=option]'))
    option.click()
  expect(chosen).toEqual(['@Maria ', '@5511911112222 ', '@5511933334444 '])
  expect(document.body.textContent).toContain('Ana +55 11 91111-2222')
})
