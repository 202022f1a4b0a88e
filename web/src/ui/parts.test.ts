// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { persist } from './parts'

afterEach(() => vi.restoreAllMocks())

/** failing returns a task that fails the given number of times and then succeeds. */
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

it('retries loading a part of the app and finally gives up', async () => {
  expect(await persist(failing(2).task, [0, 0])).toBe('loaded')
  await expect(persist(failing(3).task, [0, 0])).rejects.toThrow('attempt 3')
})

it('loads a part of the app once the browser is back online', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const { task, calls } = failing(1)
  const loading = persist(task, [0])
  await vi.waitFor(() => expect(calls()).toBe(1))
  onLine.mockReturnValue(true)
  dispatchEvent(new Event('online'))
  expect(await loading).toBe('loaded')
})
