import type { components, paths } from './schema'
import type { ApiError, Note, Ref } from './types'

type Json<T> = { content: { 'application/json': T } }
type Answers<T> = { responses: { 200: Json<T>; default: Json<ApiError> } }
type Parameters<Path, Query> = { parameters: [Path] extends [undefined] ? { query?: Query; path?: never } : { query?: Query; path: Path } }
type Read<T, Path = undefined, Query = Record<never, never>> = Parameters<Path, Query> & Answers<T>
type Write<T, Body, Path = undefined> = Parameters<Path, Record<never, never>> & { requestBody: Json<Body> } & Answers<T>
type List<T> = { data: T[] }
type Id = { id: string }

export type Reply = { id: string; shortcut: string; title: string; text: string; media_id: string | null; owner: Ref | null }
export type Template = components['schemas']['ChannelTemplate']

/** Planned are operations that the app is ready for and the server does not have. */
export interface Planned {
  '/conversations/{id}/notes': { post: Write<Note, { client_id: string; text: string; mentions: string[] }, Id> }
  '/conversations/{id}/draft': { put: Write<{ text: string; updated_at: string }, { text: string; reply_to_external_id: string | null }, Id>; delete: Read<Record<string, never>, Id> }
  '/replies': { get: Read<List<Reply>> }
  '/replies/{id}/render': { post: Write<{ text: string; media_id: string | null }, { conversation_id: string }, Id> }
}

/** has tells which of them the server has got. A test fails when the API document says otherwise. */
export const has = {
  notes: false,
  drafts: false,
  messageSearch: true,
  reactions: true,
  templates: true,
  replies: false,
}

/** The path that stands for each feature in the API document. */
export const planned: Record<keyof typeof has, keyof Planned | keyof paths> = {
  notes: '/conversations/{id}/notes',
  drafts: '/conversations/{id}/draft',
  messageSearch: '/messages',
  reactions: '/messages/{id}/reaction',
  templates: '/channels/{id}/templates',
  replies: '/replies',
}
