import createClient from 'openapi-fetch'
import { basePath } from '../ui/page'
import { takeBegun } from './early'
import type { paths } from './schema'
import type { ApiError } from './types'

/** Failure is an answer that is no success, or a request without an answer (status 0). */
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

  /** temporary tells that the same request may succeed later. */
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
 * actAs makes the page that of one person and reports whether it is: a page never changes hands. Every request names the person, so
 * that the server refuses it when someone else has signed in since, in another tab.
 */
export function actAs(user: string): boolean {
  person ??= user
  return person === user
}

/** personHeaders name the person that a request is for. */
export const personHeaders = (): Record<string, string> =>
  person ? { 'X-Recado-User': person } : {}

/** Why a page has lost its session: there is none, or it is that of another person. */
export type SessionEnd = 'missing' | 'changed'

const ended = new Set<(why: SessionEnd) => void>()

/** onSessionEnd calls back when an answer says that the person of this page has no valid session. */
export function onSessionEnd(listener: (why: SessionEnd) => void): () => void {
  ended.add(listener)
  return () => ended.delete(listener)
}

let sessions = 0

/** sessionBegan is called when the person has signed in: what was asked for before that says nothing about the new session. */
export function sessionBegan(): void {
  sessions++
}

/** asking is called when a request begins. It gives what makes a Failure of the answer, and tells when there is no valid session. */
export function asking(): typeof failureOf {
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

/** failureOf makes a Failure of an answer's status, body and headers. */
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
  fetch: (request) => takeBegun(request) ?? fetch(named(request)),
})

function named(request: Request): Request {
  for (const [name, value] of Object.entries(personHeaders()))
    request.headers.set(name, value)
  return request
}

/** answer gives the data of a call, or throws a Failure. */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const failure = asking()
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
