import { api, Failure, unwrap } from '../../api/client'
import type { Reception } from '../../api/types'

/** Stored is a reception with its version. */
export type Stored = Reception & { version: string | null }

async function stored(
  call: Promise<{ data?: Reception; error?: unknown; response: Response }>,
): Promise<Stored> {
  const reception = await unwrap(call)
  return { ...reception, version: (await call).response.headers.get('ETag') }
}

export const fetchReception = (id: string) =>
  stored(api.GET('/channels/{id}/reception', { params: { path: { id } } }))

/** conflicts reports whether a save failed because of a newer version. */
export const conflicts = (error: unknown) =>
  error instanceof Failure && error.code === 'version_conflict'

/** Saved is what is stored after a save: in case of a conflict, the colleague's version. */
export type Saved = { stored: Stored; conflict?: Failure }

/** saveReception stores a reception unless a newer version exists. */
export async function saveReception(
  id: string,
  body: Reception,
  version: string | null,
): Promise<Saved> {
  try {
    return {
      stored: await stored(
        api.PUT('/channels/{id}/reception', {
          params: {
            path: { id },
            header: version === null ? {} : { 'If-Match': version },
          },
          body,
        }),
      ),
    }
  } catch (error) {
    if (error instanceof Failure && conflicts(error))
      return { stored: await fetchReception(id), conflict: error }
    throw error
  }
}
