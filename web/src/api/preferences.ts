import type { QueryClient } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { keys } from './keys'
import { defaultPreferences } from './queries'
import type { Preferences } from './types'

/** Preference changes in flight: those without a response, oldest first, and the server's latest value. */
type Sending = {
  last: Promise<unknown>
  waiting: Partial<Preferences>[]
  confirmed: Preferences | undefined
}

/** timeoutMs is the timeout of a change in milliseconds; a hanging request must not block later changes. */
const timeoutMs = 20_000

const sending = new WeakMap<QueryClient, Sending>()

/**
 * changePreferences applies a change optimistically and sends it after earlier ones, so that the last change wins. If the request
 * fails, the server's value is restored and the Failure is thrown.
 */
export async function changePreferences(
  client: QueryClient,
  fields: Partial<Preferences>,
): Promise<void> {
  const state = sending.get(client) ?? {
    last: Promise.resolve(),
    waiting: [],
    confirmed: undefined,
  }
  sending.set(client, state)
  const show = () =>
    client.setQueryData<Preferences>(
      keys.preferences,
      Object.assign(
        {},
        state.confirmed ?? defaultPreferences,
        ...state.waiting,
      ),
    )
  void client.cancelQueries({ queryKey: keys.preferences }) // a response in flight does not include the change
  if (state.waiting.length === 0)
    state.confirmed = client.getQueryData(keys.preferences)
  state.waiting.push(fields)
  show()
  const sent = state.last.then(() =>
    unwrap(
      api.PATCH('/me/preferences', {
        body: fields,
        signal: AbortSignal.timeout(timeoutMs),
      }),
    ),
  )
  state.last = sent.catch(() => undefined)
  try {
    state.confirmed = await sent
  } catch (error) {
    if (state.waiting.length === 1)
      void client.invalidateQueries({ queryKey: keys.preferences }) // otherwise the next response updates the cache
    throw error
  } finally {
    state.waiting.shift()
    show()
  }
}
