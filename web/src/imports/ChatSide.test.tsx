// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, it } from 'vitest'
import imports from '../locales/imports/en.json'
import { ChatSide } from './ChatSide'

beforeAll(() =>
  i18next
    .use(initReactI18next)
    .init({ lng: 'en', resources: { en: { translation: imports } } }),
)

/** choices returns the label of each choice with its value, and marks the chosen one. */
function choices(company: string, names: string[], value: string | null) {
  const box = document.createElement('div')
  box.innerHTML = renderToStaticMarkup(
    <MantineProvider>
      <ChatSide
        senders={names.map((name) => ({ name, messages: 2 }))}
        company={company}
        value={value}
        onChange={() => undefined}
      />
    </MantineProvider>,
  )
  return [...box.querySelectorAll<HTMLInputElement>('[type=radio]')].map(
    (input) =>
      `${input.checked ? '* ' : ''}${input.labels?.[0]?.textContent}: ${input.value}`,
  )
}

const none = imports.imports.onlyCustomer

it('offers the senders of a chat', () => {
  expect(choices('Shop', ['Ana', 'Shop'], 'Shop')).toEqual([
    'Ana, 2 messages: Ana',
    '* Shop, 2 messages: Shop',
  ])
})

it('offers that only the customer wrote, under a name that did not write', () => {
  expect(choices('Shop', ['Ana'], null)).toEqual([
    'Ana, 2 messages: Ana',
    `${none}: Shop`,
  ])
  expect(choices('Shop', ['Ana'], 'Shop')).toEqual([
    'Ana, 2 messages: Ana',
    `* ${none}: Shop`,
  ])
  expect(choices('Ana', ['Ana'], 'Ana')).toEqual([
    '* Ana, 2 messages: Ana',
    `${none}: Ana 2`,
  ])
})
