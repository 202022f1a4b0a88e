import type { components, paths } from './schema'

/** The API types that the app uses, from the generated schema. Times are RFC 3339 strings, ids are UUIDs. */
type Schemas = components['schemas']

export type Ref = Schemas['Ref']
export type ApiError = Schemas['Error']
export type Session = Schemas['Session']
export type CompanySettings = Schemas['CompanySettings']
export type Role = Session['user']['role']
export type Preferences = Schemas['Preferences']
export type Presence = Schemas['Member']['presence']
export type Message = Schemas['Message'] & { voice?: boolean }
export type Notice = Schemas['MessageNotice']
export type Form = Schemas['Form']
export type LastMessage = Schemas['LastMessage']
export type Media = Schemas['MessageMedia']
export type Assignment = Schemas['AssignmentEntry']
export type Attendance = Schemas['Attendance']
export type Cause = Schemas['Cause']
export type AttendanceRules = Schemas['AttendanceRules']
export type OptOutSettings = Schemas['OptOutSettings']
export type SurveySettings = Schemas['SurveySettings']
export type Policy = Schemas['SLAPolicy']
export type ClosingReason = Schemas['ClosingReason']
export type CustomField = Schemas['Field']
export type FieldEntity = CustomField['entity']
export type FieldType = CustomField['type']
export type FieldValue = string | number | boolean
/** FieldValues are the values of custom fields by key; their types depend on the fields. */
export type FieldValues = Record<string, unknown>
/** FieldFilters are query parameters that filter by custom fields: field.KEY=VALUE. */
export type FieldFilters = { [name: `field.${string}`]: string }
export type Hours = Schemas['Hours']
export type HoursException = Schemas['HoursException']
export type HoursPeriod = Schemas['HoursPeriod']
export type HoursStatus = Schemas['HoursStatus']
export type WeeklyPeriod = Schemas['WeeklyPeriod']
export type Holiday = Schemas['Holiday']
export type Distribution = Schemas['Distribution']
export type DistributionStatus = Schemas['DistributionStatus']
export type Contact = Schemas['Contact']
export type Channel = Schemas['Channel'] & { private?: boolean }
export type Link = Schemas['Link']
export type GroupMember = Schemas['GroupMember']
export type ChannelTest = Schemas['ChannelTest']
export type PrivateChannel = Schemas['PrivateChannel']
export type Viewer = Schemas['Viewer']
export type Label = Schemas['Label']
export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']
export type SavedView = Schemas['View']
export type Sector = Schemas['Sector']
export type Counts = Schemas['InboxCounts']
export type Card = Schemas['Card']
export type Board = Schemas['Board']
export type Report = Schemas['Report']
export type CostReport = Schemas['CostReport']
export type Rates = Schemas['MessageRates']
export type Rate = Rates['rates'][number]
export type Budget = Schemas['Budget']
export type CurrentReport = Schemas['CurrentReport']
export type Load = Pick<
  CurrentReport,
  'open' | 'unassigned' | 'unanswered' | 'oldest_waiting_at'
>
export type Figures = Schemas['Figures']
export type Times = Schemas['Times']
export type Key = Schemas['Key']
export type Scope = Schemas['Scope']
export type EventType = Schemas['EventType']
export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['Delivery']
export type Uploaded = Schemas['Media']
export type SendBody = Schemas['SendMessageInputBody'] & { voice?: boolean }
export type NewChannel = Schemas['CreateChannelInputBody']
export type BulkAction = Omit<Schemas['BulkInputBody'], 'ids'>
export type ConversationQuery = Omit<
  NonNullable<paths['/conversations']['get']['parameters']['query']>,
  'limit' | 'cursor' | 'offset'
>
export type Stage = Schemas['Stage']
export type CardQuery = Omit<
  NonNullable<paths['/kanban/cards']['get']['parameters']['query']>,
  'limit' | 'cursor' | 'board_id' | 'sort' | 'tz' | 'fields' | 'format'
> &
  FieldFilters
export type ContactQuery = Omit<
  NonNullable<paths['/contacts']['get']['parameters']['query']>,
  'limit' | 'offset' | 'fields' | 'format'
> &
  FieldFilters

/** Conversation as returned by lists, events and single requests. The draft is the user's own. */
export type Conversation = Schemas['Conversation']

export type FoundMessage = Schemas['FoundMessage']
export type MessageQuery = Omit<
  NonNullable<paths['/messages']['get']['parameters']['query']>,
  'limit' | 'cursor'
>
export type Retention = Schemas['Retention']
export type ErasePreview = Schemas['ErasePreview']
export type RetentionPreview = Schemas['RetentionPreview']
export type Job = Schemas['Job']
export type AuditEntry = Schemas['AuditEntry']
export type AuditQuery = Omit<
  NonNullable<paths['/audit']['get']['parameters']['query']>,
  'limit' | 'cursor' | 'format'
>
export type Reply = Schemas['Reply']
export type Template = Schemas['ChannelTemplate']
export type CreateTemplate = Schemas['CreateTemplateInputBody']
export type Connection = Schemas['ChannelConnection']
export type Note = Schemas['Note']
export type Notification = Schemas['Notification']
export type Reception = Schemas['Reception']
export type Menu = Schemas['Menu']
export type MenuAction = Schemas['MenuAction']
export type ReceptionReply = Schemas['ReceptionReply']
export type ReceptionOutcome = Schemas['ReceptionOutcome']
export type Interactive = Schemas['Interactive']
export type InteractiveBody = Schemas['InteractiveBody']
export type ScheduledMessage = Schemas['ScheduledMessage']
export type ScheduledContent = Pick<
  Schemas['ScheduleInputBody'],
  'text' | 'media_id' | 'template'
>

/** TimelineEntry is discriminated by its kind. */
export type TimelineEntry =
  | { kind: 'message'; id: string; at: string; message: Message }
  | { kind: 'note'; id: string; at: string; note: Note }
  | { kind: 'assignment'; id: string; at: string; assignment: Assignment }
  | {
      kind: 'attendance_opened' | 'attendance_closed'
      id: string
      at: string
      attendance: Attendance
    }

export type TimelinePage = {
  data: TimelineEntry[]
  before: string | null
  after: string | null
}
