// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { persist } from './parts'

afterEach(() => vi.restoreAllMocks())

/** failing fails so many times before it gives its answer. */
function failing(times: number) {
  let calls = 0
  return {
    task: () =>
      ++calls > times
        ? Promise.resolve('loaded')
        : Promise.reject(new Error(`attempt ${calls}`)),
    calls: () => calls,
  }
}

it('a part of the app whose loading failed is loaded again, and fails in the end', async () => {
  expect(await persist(failing(2).task, [0, 0])).toBe('loaded')
  await expect(persist(failing(3).task, [0, 0])).rejects.toThrow('attempt 3')
})

it('a part of the app that failed without a network is loaded when the network is back', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const { task, calls } = failing(1)
  const loading = persist(task, [0])
  await vi.waitFor(() => expect(calls()).toBe(1))
  onLine.mockReturnValue(true)
  dispatchEvent(new Event('online'))
  expect(await loading).toBe('loaded')
})
