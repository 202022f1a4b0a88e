// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, it } from 'vitest'
import { makeQueryClient } from '../api/queries'
import imports from '../locales/imports/en.json'
import { BadLines } from './BadLines'

beforeAll(() =>
  i18next
    .use(initReactI18next)
    .init({ lng: 'en', resources: { en: { translation: imports } } }),
)

it('shows the number of lines when an erasure removed the lines themselves', () => {
  const box = document.createElement('div')
  box.innerHTML = renderToStaticMarkup(
    <QueryClientProvider client={makeQueryClient()}>
      <BadLines result={{ errors_total: 2 }} />
    </QueryClientProvider>,
  )
  expect(box.textContent).toBe('2 lines with errors')
})
