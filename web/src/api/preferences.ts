import type { QueryClient } from '@tanstack/react-query'
import { answer, api } from './client'
import { keys } from './keys'
import { defaultPreferences } from './queries'
import type { Preferences } from './types'

/** Changes of preferences on their way to the server: those it has not answered, oldest first, and what it said last. */
type Sending = {
  last: Promise<unknown>
  waiting: Partial<Preferences>[]
  confirmed: Preferences | undefined
}

/** patience is after how many milliseconds without an answer a change has failed: it must not hold back the next ones. */
const patience = 20_000

const sending = new WeakMap<QueryClient, Sending>()

/**
 * changePreferences shows a change at once and sends it after the changes before it, so that the last one counts. When it
 * fails, the server's value is shown again and the Failure is thrown.
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
  void client.cancelQueries({ queryKey: keys.preferences }) // an answer that is on its way does not know of the change
  if (state.waiting.length === 0)
    state.confirmed = client.getQueryData(keys.preferences)
  state.waiting.push(fields)
  show()
  const sent = state.last.then(() =>
    answer(
      api.PATCH('/me/preferences', {
        body: fields,
        signal: AbortSignal.timeout(patience),
      }),
    ),
  )
  state.last = sent.catch(() => undefined)
  try {
    state.confirmed = await sent
  } catch (error) {
    if (state.waiting.length === 1)
      void client.invalidateQueries({ queryKey: keys.preferences }) // else the next answer tells
    throw error
  } finally {
    state.waiting.shift()
    show()
  }
}
