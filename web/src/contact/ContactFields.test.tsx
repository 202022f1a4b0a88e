// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, it } from 'vitest'
import { Me, makeQueryClient } from '../api/queries'
import type { Contact, Session } from '../api/types'
import { ContactFields } from './ContactFields'

beforeAll(() =>
  i18next.use(initReactI18next).init({ lng: 'en', resources: {} }),
)

const contact = {
  id: 'a',
  name: 'Ana',
  phone: null,
  company: null,
  city: null,
  label_ids: [],
  blocked: false,
  automation: true,
  fields: {},
} as unknown as Contact

/** inputs returns the fields of a contact for a user with the given scopes. */
function inputs(scopes: string[]): HTMLInputElement[] {
  const box = document.createElement('div')
  box.innerHTML = renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={makeQueryClient()}>
        <Me value={{ scopes } as unknown as Session}>
          <ContactFields contact={contact} />
        </Me>
      </QueryClientProvider>
    </MantineProvider>,
  )
  return [...box.querySelectorAll('input')].filter(
    (one) => one.type !== 'hidden',
  )
}

it('is editable with contacts:write and read-only without', () => {
  const fixed = (one: HTMLInputElement) => one.readOnly || one.disabled
  expect(inputs(['contacts:read', 'contacts:write']).map(fixed)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
  expect(inputs(['contacts:read']).map(fixed)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    true,
  ])
})
