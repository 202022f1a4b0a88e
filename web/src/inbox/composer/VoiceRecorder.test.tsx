// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { VoiceRecorder } from './VoiceRecorder'

/** Recorder imitates MediaRecorder, which jsdom lacks. */
class Recorder {
  static isTypeSupported = () => true
  state = 'inactive'
  mimeType = 'audio/ogg'
  ondataavailable: (event: { data: Blob }) => void = () => undefined
  onstop: () => void = () => undefined
  start() {
    this.state = 'recording'
  }
  stop() {
    this.state = 'inactive'
    this.ondataavailable({ data: new Blob(['voice']) })
    this.onstop()
  }
}

let allow: (stream: MediaStream) => void
let deny: (error: Error) => void
let root: Root
const stopped = vi.fn()
const microphone = {
  getTracks: () => [{ stop: stopped }],
} as unknown as MediaStream

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  vi.stubGlobal('MediaRecorder', Recorder)
  Object.defineProperty(navigator, 'mediaDevices', {
    value: {
      getUserMedia: () =>
        new Promise<MediaStream>(
          (resolve, reject) => ([allow, deny] = [resolve, reject]),
        ),
    },
  })
  await i18next.use(initReactI18next).init({ lng: 'en', resources: {} })
})
beforeEach(() => {
  vi.useFakeTimers()
  stopped.mockClear()
  root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() =>
    root.render(
      <MantineProvider env="test">
        <VoiceRecorder
          holding={false}
          onSend={() => undefined}
          onClose={() => undefined}
        />
      </MantineProvider>,
    ),
  )
})
afterEach(() => {
  act(() => root.unmount())
  vi.useRealTimers()
})

const time = () => document.querySelector('output')?.textContent
const seconds = (n: number) => act(() => vi.advanceTimersByTimeAsync(n * 1000))
const press = (name: string) =>
  act(() =>
    [...document.querySelectorAll('button')]
      .find((one) => (one.ariaLabel ?? one.textContent) === name)
      ?.click(),
  )

it('the timer runs while recording', async () => {
  await seconds(5.5) // while the browser asks for permission
  expect(time()).toBe('0:00')
  allow(microphone)
  await seconds(0.9)
  expect(time()).toBe('0:00')
  await seconds(2.2)
  expect(time()).toBe('0:03')
  press('voice.stop')
  await seconds(4)
  expect(time()).toBe('0:03')
  expect(stopped).toHaveBeenCalled()
})

it('closes a microphone that opens after the recorder was closed', async () => {
  act(() => root.unmount())
  allow(microphone)
  await seconds(0)
  expect(stopped).toHaveBeenCalledOnce()
})

it('the timer does not start without a microphone', async () => {
  deny(new Error('refused'))
  await seconds(3)
  expect(time()).toBe('0:00')
  expect(document.querySelector('[role=alert]')?.textContent).toBe(
    'voice.denied',
  )
})
