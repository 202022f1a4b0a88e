import type {
  ApiError, Assignment, Attendance, BulkAction, BulkResult, Card, Channel, Contact, Conversation, ConversationQuery, Counts, FoundMessage, Label, Media, Member,
  Message, Note, Preferences, Reply, SavedView, Sector, SendBody, Session, Setup, Template, TimelinePage, Welcome,
} from './types'

type Json<T> = { content: { 'application/json': T } }
type Answers<T> = { responses: { 200: Json<T>; default: Json<ApiError> } }
type Parameters<Path, Query> = { parameters: [Path] extends [undefined] ? { query?: Query; path?: never } : { query?: Query; path: Path } }
type Read<T, Path = undefined, Query = Record<never, never>> = Parameters<Path, Query> & Answers<T>
type Write<T, Body, Path = undefined> = Parameters<Path, Record<never, never>> & { requestBody: Json<Body> } & Answers<T>
type List<T> = { data: T[] }
type Pages<T> = { data: T[]; next_cursor?: string | null; has_more?: boolean }
type Id = { id: string }
type None = Record<string, never>

/** The operations that the app calls, in the form that openapi-typescript gives them. */
export interface paths {
  '/setup': { get: Read<Setup>; post: Write<Session, { token: string; company: string; timezone: string; name: string; email: string; password: string }> }
  '/session': { get: Read<Session>; post: Write<Session, { email: string; password: string; code?: string; company?: string }>; delete: Read<None> }
  '/welcome': { get: Read<Welcome, undefined, { token: string }>; post: Write<Session, { token: string; name?: string; password: string; code?: string }> }
  '/me/preferences': { get: Read<Preferences>; patch: Write<Preferences, Partial<Preferences>> }
  '/inbox/counts': { get: Read<Counts> }
  '/views': { get: Read<List<SavedView>>; post: Write<SavedView, { name: string; query: ConversationQuery; shared: boolean }> }
  '/views/{id}': { delete: Read<None, Id> }
  '/conversations': {
    get: Read<Pages<Conversation>, undefined, ConversationQuery & { limit?: number; cursor?: string }>
    post: Write<Conversation, { channel_id: string; phone?: string; contact_id?: string; name?: string }>
  }
  '/conversations/bulk': { post: Write<BulkResult, { ids: string[] } & BulkAction> }
  '/conversations/{id}': { get: Read<Conversation, Id>; patch: Write<Conversation, { archived?: boolean; pinned?: boolean; muted?: boolean; label_ids?: string[] }, Id> }
  '/conversations/{id}/timeline': { get: Read<TimelinePage, Id, { limit?: number; before?: string; after?: string; around?: string; at?: string }> }
  '/conversations/{id}/messages': { post: Write<Message, SendBody, Id> }
  '/conversations/{id}/notes': { post: Write<Note, { client_id: string; text: string; mentions: string[] }, Id> }
  '/conversations/{id}/read': { post: Write<Conversation, None, Id> }
  '/conversations/{id}/unread': { post: Write<Conversation, None, Id> }
  '/conversations/{id}/take': { post: Write<Conversation, None, Id> }
  '/conversations/{id}/snooze': { post: Write<Conversation, { until: string | null }, Id> }
  '/conversations/{id}/transfer': { post: Write<Conversation, { user_id?: string | null; sector_id?: string; reason?: string }, Id> }
  '/conversations/{id}/attendance/close': { post: Write<Attendance, { reason?: string }, Id> }
  '/conversations/{id}/assignments': { get: Read<List<Assignment>, Id> }
  '/conversations/{id}/activity': { post: Write<None, { kind: 'viewing' | 'typing' | 'left' }, Id> }
  '/conversations/{id}/draft': { put: Write<{ text: string; updated_at: string }, { text: string; reply_to_external_id: string | null }, Id>; delete: Read<None, Id> }
  '/conversations/{id}/media': { get: Read<Pages<Media & { message?: string; created_at?: string }>, Id, { cursor?: string; limit?: number }> }
  '/attendances': { get: Read<Pages<Attendance>, undefined, { conversation?: string; protocol?: string; limit?: number; cursor?: string }> }
  '/messages': { get: Read<Pages<FoundMessage>, undefined, { q: string; conversation?: string; limit?: number; cursor?: string }> }
  '/messages/{id}/reaction': { put: Write<Message, { emoji: string }, Id>; delete: Read<None, Id> }
  '/contacts': { get: Read<Pages<Contact>, undefined, { q?: string; limit?: number; offset?: number }> }
  '/contacts/{id}': { get: Read<Contact, Id>; patch: Write<Contact, Partial<Pick<Contact, 'name' | 'company' | 'city' | 'label_ids' | 'blocked'>>, Id> }
  '/kanban/cards': { get: Read<Pages<Card>, undefined, { q?: string; limit?: number; status?: string }> }
  '/channels': { get: Read<List<Channel>> }
  '/channels/{id}/templates': { get: Read<Pages<Template>, Id, { q?: string; status?: string; limit?: number }> }
  '/labels': { get: Read<List<Label>> }
  '/team': { get: Read<List<Member>> }
  '/sectors': { get: Read<List<Sector>> }
  '/replies': { get: Read<List<Reply>> }
  '/replies/{id}/render': { post: Write<{ text: string; media_id: string | null }, { conversation_id: string }, Id> }
}
