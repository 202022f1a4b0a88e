import createClient from 'openapi-fetch'
import { basePath } from '../ui/page'
import { takeEarly } from './early'
import type { paths } from './schema'
import type { ApiError } from './types'

/** Failure is an error response, or a request without a response (status 0). */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
    readonly details: ApiError['details'],
    readonly retryAfter: number | null,
    readonly params: ApiError['params'] = {},
  ) {
    super(message)
  }

  /** temporary reports whether the same request may succeed later. */
  get temporary(): boolean {
    return (
      this.status === 0 ||
      this.status === 408 ||
      this.status === 429 ||
      this.status >= 500
    )
  }
}

export const apiBase = `${basePath}/v1`

let person: string | null = null

/**
 * actAs binds the page to one user and reports whether it is bound to that user; a page never switches users. Every request names the
 * user, so that the server rejects it if someone else has signed in since, in another tab.
 */
export function actAs(user: string): boolean {
  person ??= user
  return person === user
}

/** personHeaders returns the headers that name the user. */
export const personHeaders = (): Record<string, string> =>
  person ? { 'X-Recado-User': person } : {}

/** Why a page lost its session: there is none, or it belongs to someone else. */
export type SessionEnd = 'missing' | 'changed'

const ended = new Set<(why: SessionEnd) => void>()

/** onSessionEnd subscribes to responses that say the user has no valid session. */
export function onSessionEnd(listener: (why: SessionEnd) => void): () => void {
  ended.add(listener)
  return () => ended.delete(listener)
}

let sessions = 0

/** sessionBegan is called after sign-in. Earlier requests say nothing about the new session. */
export function sessionBegan(): void {
  sessions++
}

/** startRequest is called when a request starts. It returns a function that turns the response into a Failure and reports a lost session. */
export function startRequest(): typeof failureOf {
  const session = sessions
  return (status, body, headers) => {
    const failure = failureOf(status, body, headers)
    const missing =
      failure.status === 401 &&
      (failure.code === 'session_missing' || failure.code === 'key_missing')
    const changed = failure.code === 'session_changed'
    if ((missing || changed) && session === sessions)
      ended.forEach((listener) => listener(changed ? 'changed' : 'missing'))
    return failure
  }
}

/** failureOf creates a Failure from a response's status, body and headers. */
export function failureOf(
  status: number,
  body: unknown,
  headers?: Headers,
): Failure {
  const error = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<ApiError>
  const wait = Number(headers?.get('Retry-After') ?? Number.NaN)
  return new Failure(
    status,
    error.code ?? 'unavailable',
    error.message ?? '',
    error.request_id ?? headers?.get('X-Request-Id') ?? undefined,
    error.details ?? [],
    Number.isFinite(wait) ? wait : null,
    error.params ?? {},
  )
}

export const api = createClient<paths>({
  baseUrl: apiBase,
  credentials: 'same-origin',
  fetch: (request) => takeEarly(request) ?? fetch(named(request)),
})

function named(request: Request): Request {
  for (const [name, value] of Object.entries(personHeaders()))
    request.headers.set(name, value)
  return request
}

/** unwrap returns the data of a response or throws a Failure. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const failure = startRequest()
  let result
  try {
    result = await call
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError')
      throw cause
    throw new Failure(0, 'offline', '', undefined, [], null)
  }
  if (!result.response.ok)
    throw failure(result.response.status, result.error, result.response.headers)
  return result.data as T
}
