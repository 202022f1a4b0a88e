// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, it } from 'vitest'
import { makeQueryClient } from '../api/queries'
import imports from '../locales/imports/en.json'
import { Check, type useCheck } from './Check'

beforeAll(() =>
  i18next
    .use(initReactI18next)
    .init({ lng: 'en', resources: { en: { translation: imports } } }),
)

/** shown returns what a running check says of itself. */
function shown(check: { data?: object; uploaded: number; waiting: boolean }) {
  const box = document.createElement('div')
  box.innerHTML = renderToStaticMarkup(
    <QueryClientProvider client={makeQueryClient()}>
      <MantineProvider>
        <Check
          chosen={{ id: 1, file: new File(['name'], 'people.csv') }}
          check={
            { isFetching: true, error: null, ...check } as ReturnType<
              typeof useCheck
            >
          }
          spoken=""
          form={null}
          button="Import"
          onOther={() => undefined}
          onStarted={() => undefined}
        >
          {null}
        </Check>
      </MantineProvider>
    </QueryClientProvider>,
  )
  return box.querySelector('[role=status]')?.textContent ?? null
}

it('says what a check is doing', () => {
  const { uploading, checking, waiting } = imports.imports
  const data = {}
  expect(shown({ uploaded: 0.5, waiting: false })).toBe(uploading)
  expect(shown({ uploaded: 1, waiting: false })).toBe(checking)
  expect(shown({ uploaded: 1, waiting: true })).toBe(waiting)
  // The result of the previous check is shown meanwhile.
  expect(shown({ data, uploaded: 1, waiting: false })).toBeNull()
  expect(shown({ data, uploaded: 1, waiting: true })).toBe(waiting)
})
