// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { act, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { Dialog } from './Dialog'

let root: Root

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  await i18next.use(initReactI18next).init({ lng: 'en', resources: {} })
})
beforeEach(() => {
  vi.useFakeTimers()
  root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() => root.render(<Page />))
})
afterEach(() => {
  act(() => root.unmount())
  vi.useRealTimers()
})

/** Page has a button that opens dialog A, which opens dialog B on top of itself or in its place. */
function Page() {
  const [first, setFirst] = useState(false)
  const [second, setSecond] = useState(false)
  const replace = () => {
    setFirst(false)
    setSecond(true)
  }
  return (
    <MantineProvider env="test">
      <button onClick={() => setFirst(true)}>open A</button>
      {first && (
        <Dialog title="A" onClose={() => setFirst(false)}>
          <button onClick={() => setSecond(true)}>B beside A</button>
          <button onClick={replace}>B replaces A</button>
          <button
            onClick={(event) => (
              event.currentTarget.blur(),
              setTimeout(replace)
            )}
          >
            save, then B
          </button>
          <button onClick={() => setFirst(false)}>close A</button>
        </Dialog>
      )}
      {second && (
        <Dialog title="B" onClose={() => setSecond(false)}>
          <button onClick={() => setSecond(false)}>close B</button>
        </Dialog>
      )}
    </MantineProvider>
  )
}

/** press presses Enter on a button and returns the text of the dialog that then has the focus, or of the focused element. */
async function press(name: string) {
  const button = [...document.querySelectorAll('button')].find(
    (one) => one.textContent === name,
  )
  act(() => button?.focus())
  act(() => button?.click())
  await act(() => vi.advanceTimersByTimeAsync(1000))
  await act(() => vi.advanceTimersByTimeAsync(1000)) // a dialog opened by a timer is rendered by now
  const focused = document.activeElement
  return (
    focused?.closest('[role=dialog]')?.querySelector('h2')?.textContent ??
    focused?.textContent
  )
}

it('a dialog that replaced another returns the focus to the opener of the first', async () => {
  expect(await press('open A')).toBe('A')
  expect(await press('B replaces A')).toBe('B')
  expect(await press('close B')).toBe('open A')
})

it('a dialog that replaced another returns the focus even if nothing was focused when it opened', async () => {
  await press('open A')
  expect(await press('save, then B')).toBe('B')
  expect(await press('close B')).toBe('open A')
})

it('nested dialogs return the focus to the outer dialog and then to the page', async () => {
  await press('open A')
  expect(await press('B beside A')).toBe('B')
  expect(await press('close B')).toBe('A')
  expect(document.activeElement?.textContent).toBe('B beside A')
  expect(await press('close A')).toBe('open A')
})
