/** The shapes of the API that the app uses. Times are RFC 3339 texts, ids are UUIDs. */

export type Ref = { id: string; name: string }
export type Role = 'owner' | 'admin' | 'manager' | 'agent'
export type Presence = 'online' | 'away' | 'offline'

export type ApiError = {
  code: string
  message: string
  request_id: string
  details: { field: string; message: string; value?: string }[]
}

export type Session = {
  user: { id: string; name: string; email: string; role: Role; access_profile: string; sectors: Ref[]; presence: Presence; two_factor: boolean }
  company: { id: string; name: string; timezone: string }
  scopes: string[]
  expires_at: string
  api_version: string
}

export type Setup = { needed: boolean; demo?: { email: string; password: string } | null }
export type Welcome = { company: { name: string }; email: string; name: string | null; kind: 'invitation' | 'reset' }

export type Preferences = {
  language: 'pt-BR' | 'en' | 'es'
  theme: 'system' | 'light' | 'dark'
  send_with: 'enter' | 'ctrl_enter'
  mark_read: 'opening' | 'answering'
  sound: 'none' | 'chime' | 'drop'
  notify: 'mine_and_queues' | 'everything' | 'nothing'
  shortcuts: boolean
  sign: boolean
}

export type LastMessage = { id: string; type: MessageType; text: string | null; direction: Direction; created_at: string; status?: MessageStatus }

export type Conversation = {
  id: string
  kind: 'direct' | 'group'
  name: string
  phone: string | null
  contact: string | null
  channel: string
  assignee: string | null
  sector: string | null
  archived: boolean
  pinned: boolean
  muted: boolean
  label_ids: string[]
  unread: boolean
  unread_count: number
  last_message: LastMessage | null
  created_at: string
  updated_at: string
  attendance?: { id: string; protocol: string; opened_at: string; waiting_since: string | null } | null
  window_expires_at?: string | null
  snoozed_until?: string | null
  draft?: { text: string; reply_to_external_id: string | null; updated_at: string } | null
}

export type Direction = 'inbound' | 'outbound'
export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received'
export type MessageType = 'text' | 'image' | 'audio' | 'video' | 'document' | 'sticker' | 'location' | 'contacts' | 'interactive' | 'template' | 'unsupported'

export type Media = {
  id: string
  mime_type: string
  file_name: string | null
  size: number
  width?: number | null
  height?: number | null
  duration_seconds?: number | null
}

export type Reaction = { emoji: string; by: 'customer' | 'team'; user: Ref | null; at: string }

export type Message = {
  id: string
  client_id: string | null
  conversation: string
  direction: Direction
  origin: 'customer' | 'app' | 'phone' | 'api' | 'automation'
  type: MessageType
  text: string | null
  media_id: string | null
  media: Media | null
  reply_to_external_id: string | null
  external_id: string | null
  status: MessageStatus
  error: { code: string; message: string } | null
  sent_by: Ref | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  author?: Ref | null
  reactions?: Reaction[]
  edited_at?: string | null
  revoked_at?: string | null
  voice?: boolean
}

export type Note = {
  id: string
  client_id: string
  conversation: string
  attendance: string | null
  text: string
  mentions: Ref[]
  author: Ref
  created_at: string
  edited_at: string | null
}

export type Assignment = {
  id: string
  action: 'took_over' | 'received' | 'handed_back'
  user: Ref | null
  by: Ref | null
  sector: string | null
  reason: string | null
  created_at: string
}

export type Attendance = {
  id: string
  protocol: string
  status: 'open' | 'closed'
  conversation: string
  channel: string
  contact: (Ref & { phone: string | null }) | null
  responsible: Ref | null
  sector: string | null
  opened_at: string
  opened_by: 'customer' | 'team'
  first_response_at: string | null
  first_response_seconds: number | null
  closed_at: string | null
  closed_by: Ref | null
  close_reason: string | null
}

export type TimelineEntry =
  | { kind: 'message'; id: string; at: string; message: Message }
  | { kind: 'note'; id: string; at: string; note: Note }
  | { kind: 'assignment'; id: string; at: string; assignment: Assignment }
  | { kind: 'attendance_opened' | 'attendance_closed'; id: string; at: string; attendance: Attendance }

export type TimelinePage = { data: TimelineEntry[]; before: string | null; after: string | null }

export type Contact = {
  id: string
  name: string
  phone: string | null
  company: string | null
  city: string | null
  channel_id: string | null
  label_ids: string[]
  blocked: boolean
  created_at: string
  updated_at: string
}

export type Channel = { id: string; name: string; phone: string | null; provider: 'sandbox' | 'whatsapp'; status: 'connected' | 'disconnected'; created_at: string }
export type Label = { id: string; name: string; color: string }
export type Member = { id: string; name: string; email: string; role: Role; access_profile: string; presence: Presence; sectors: Ref[]; open_attendances?: number }
export type Sector = { id: string; name: string; members: Ref[] }
export type Counts = {
  mine: number
  unassigned: number
  unread: number
  open?: number
  snoozed?: number
  sectors: { id: string; waiting: number; unread: number }[]
  labels: { id: string; open: number }[]
  views?: { id: string; count: number }[]
}
export type SavedView = { id: string; name: string; query: Record<string, string>; shared: boolean; owner: Ref; position: number }
export type Card = { id: string; board_id: string; stage_id: string; title: string; conversation: string | null; status: string }
export type Reply = { id: string; shortcut: string; title: string; text: string; media_id: string | null; owner: Ref | null }
export type TemplateParameter = { component: string; index: number; name: string | null; type: string; example: string | null }
export type Template = { id: string; name: string; language: string; category: string; status: string; body: string; header: string | null; footer: string | null; parameters: TemplateParameter[] }
export type FoundMessage = { message: Message; conversation: Ref; snippet: string; match: [number, number] }
export type Uploaded = Media & { sha256: string; created_at: string }

export type ConversationQuery = {
  q?: string
  status?: 'open' | 'waiting' | 'closed'
  sort?: 'newest' | 'oldest_waiting'
  unread?: 'true'
  archived?: 'true' | 'false'
  snoozed?: 'true' | 'false'
  kind?: 'direct' | 'group'
  channel?: string
  assignee?: string
  sector?: string
  label?: string
}

export type BulkAction =
  | { action: 'read' | 'unread' | 'archive' | 'unarchive' | 'take' }
  | { action: 'close'; reason?: string }
  | { action: 'transfer'; user_id?: string | null; sector_id?: string; reason?: string }
  | { action: 'label'; add?: string[]; remove?: string[] }
  | { action: 'snooze'; until: string }
export type BulkResult = { results: { id: string; status: number; code?: string }[] }

export type SendBody = {
  client_id: string
  text?: string
  media_id?: string
  voice?: boolean
  reply_to_external_id?: string
  template?: { name: string; language: string; parameters: { component: string; index?: number; name?: string; text: string }[] }
}
