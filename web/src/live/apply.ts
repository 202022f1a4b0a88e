import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import {
  dropConversation,
  putAttendance,
  putEntry,
  putMessage,
  updateConversation,
} from '../api/cache'
import { putCard, refreshBoard } from '../api/cards'
import { keys } from '../api/keys'
import type {
  Assignment,
  Attendance,
  Card,
  Conversation,
  Member,
  Message,
  Note,
  Presence,
  Ref,
  ScheduledMessage,
} from '../api/types'
import type { StreamEvent } from './parse'

type Data = {
  message?: Message
  conversation?: Conversation | string
  attendance?: Attendance
  note?: Note
  assignment?: Assignment
  changed?: string[]
  card?: Card
  board?: string
  user?: Ref
  users?: Ref[]
  presence?: Presence
}

/** Typing is the member who is replying in a conversation, and when that was last reported. */
export type Typing = { user: Ref; at: number }

/** eventData returns the payload of an event: feed events wrap it in an envelope, signals do not. */
export function eventData(event: StreamEvent): Data {
  try {
    const parsed: unknown = JSON.parse(event.data)
    if (typeof parsed !== 'object' || parsed === null) return {}
    const inner = (parsed as { data?: unknown }).data
    return (
      typeof inner === 'object' && inner !== null ? inner : parsed
    ) as Data
  } catch {
    return {}
  }
}

/** later debounces a task per key, so that a burst of events causes one request. */
function later() {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  return (key: string, task: () => void, wait = 250) => {
    if (timers.has(key)) return
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key)
        task()
      }, wait),
    )
  }
}

/** loadedPages returns the number of loaded pages of a list; long lists are not refetched as a whole. */
const loadedPages = (data: unknown) =>
  (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0

/** makeApply returns the function that applies stream events to the query cache. */
export function makeApply(client: QueryClient, me: string) {
  const once = later()
  const refresh = (key: readonly unknown[]) =>
    once(
      JSON.stringify(key),
      () => void client.invalidateQueries({ queryKey: key }),
    )
  /** known reports whether more of a conversation than its row is loaded. */
  const known = (id: string) =>
    client
      .getQueryCache()
      .getAll()
      .some(({ queryKey }) => queryKey[1] === id)
  const fetchConversation = (id: string) =>
    once(
      `fetch ${id}`,
      () =>
        void unwrap(
          api.GET('/conversations/{id}', { params: { path: { id } } }),
        )
          .then((found) => updateConversation(client, found, me))
          .catch(() => undefined),
    )

  const conversation = (value: Conversation | string | undefined) => {
    if (!value) return
    if (typeof value === 'string') return fetchConversation(value)
    // Session-only fields are not part of events, so a conversation without them is fetched.
    if (value.attendance === undefined) return fetchConversation(value.id)
    updateConversation(client, value, me)
  }

  // A first message creates a contact, and a new profile name changes one.
  const contacts = (value: Conversation | string | undefined) => {
    once(
      'contacts',
      () =>
        void client.invalidateQueries({
          queryKey: keys.contactLists,
          predicate: ({ state }) => loadedPages(state.data) <= 3,
        }),
    )
    if (typeof value === 'object' && value.contact)
      refresh(keys.contact(value.contact))
  }

  // A customer's message cancels some scheduled messages without an event.
  const answered = (id: string) => {
    if (
      client
        .getQueryData<ScheduledMessage[]>(keys.scheduled(id))
        ?.some((one) => one.status === 'scheduled' && one.cancel_on_reply)
    )
      refresh(keys.scheduled(id))
  }

  /** stopped removes a member's typing state. */
  const stopped = (id: string, over: (member: string) => boolean) =>
    client.setQueryData<Typing | null>(keys.typing(id), (typing) =>
      typing && over(typing.user.id) ? null : typing,
    )

  const board = (id: string) =>
    once(`board ${id}`, () => {
      refreshBoard(client, id)
      void client.invalidateQueries({ queryKey: keys.boards })
      void client.invalidateQueries({ queryKey: ['card'] })
    })

  return (event: StreamEvent) => {
    const data = eventData(event)
    const id =
      typeof data.conversation === 'string'
        ? data.conversation
        : data.conversation?.id
    switch (event.type) {
      case 'reset':
        void client.invalidateQueries()
        return
      case 'message.received':
      case 'message.sent':
        if (data.message) putMessage(client, data.message, true)
        if (id && data.message?.sent_by)
          stopped(id, (member) => member === data.message?.sent_by?.id)
        conversation(data.conversation)
        if (id && known(id)) refresh(keys.files(id))
        if (id && event.type === 'message.received') answered(id)
        // A keyword such as SAIR changes the contact without an event.
        if (
          event.type === 'message.received' &&
          typeof data.conversation === 'object' &&
          data.conversation.contact
        )
          refresh(keys.contact(data.conversation.contact))
        refresh(keys.counts)
        return
      case 'message.updated':
        if (data.message) putMessage(client, data.message, false)
        conversation(data.conversation)
        return
      case 'conversation.updated':
      case 'attendance.opened':
      case 'attendance.closed':
        conversation(data.conversation)
        if (
          event.type === 'attendance.opened' ||
          data.changed?.includes('name')
        )
          contacts(data.conversation)
        if (id && known(id)) {
          if (data.attendance) {
            const kind =
              event.type === 'attendance.closed'
                ? 'attendance_closed'
                : 'attendance_opened'
            const at =
              (kind === 'attendance_closed'
                ? data.attendance.closed_at
                : data.attendance.opened_at) ?? ''
            putEntry(client, id, {
              kind,
              id: data.attendance.id,
              at,
              attendance: data.attendance,
            })
          } else if (
            data.changed?.some(
              (field) => field === 'assignee' || field === 'sector',
            )
          ) {
            refresh(keys.assignments(id))
            refresh(keys.timelines(id))
          }
          refresh(keys.attendances(id))
          if (typeof data.conversation === 'object')
            refresh(keys.attendance(data.conversation.attendance?.id ?? ''))
        }
        refresh(keys.counts)
        return
      case 'attendance.rated':
      case 'attendance.sla_warning':
      case 'attendance.sla_breached':
        conversation(data.conversation)
        if (data.attendance) putAttendance(client, data.attendance)
        if (id && known(id)) refresh(keys.attendances(id))
        refresh(keys.counts)
        return
      case 'kanban.card.created':
      case 'kanban.card.moved':
      case 'kanban.card.completed':
        if (data.card) {
          putCard(client, data.card, me)
          refresh(keys.boardCounts(data.card.board_id))
        }
        return
      case 'board':
        if (data.board) board(data.board)
        return
      case 'note.created':
        if (data.note) {
          putEntry(client, data.note.conversation, {
            kind: 'note',
            id: data.note.id,
            at: data.note.created_at,
            note: data.note,
          })
          refresh(keys.notes(data.note.conversation))
        }
        return
      case 'notes': // a note was edited or deleted
        if (id) {
          refresh(keys.notes(id))
          refresh(keys.timelines(id))
        }
        return
      case 'notification':
        refresh(keys.notifications)
        refresh(keys.budget) // it may be the warning
        return
      case 'private':
        if (id) {
          fetchConversation(id)
          stopped(id, () => true) // the draft may have been sent; a member who is still typing reports it again
          refresh(keys.timelines(id))
          refresh(keys.scheduled(id))
          refresh(keys.counts)
          refresh(keys.allColumns) // its cards are private as well
        }
        return
      case 'gone':
        if (id) dropConversation(client, id)
        refresh(keys.counts)
        refresh(keys.notifications)
        return
      case 'scheduled':
        if (id) refresh(keys.scheduled(id))
        return
      case 'held': // the event of its first change comes with the customer's answer
        if (id) {
          fetchConversation(id)
          refresh(keys.timelines(id))
        }
        return
      case 'draft':
        if (id) fetchConversation(id)
        return
      case 'viewing':
        if (id) {
          client.setQueryData(keys.viewing(id), data.users ?? [])
          stopped(id, (member) => !data.users?.some((one) => one.id === member))
        }
        return
      case 'typing':
        if (id && data.user)
          client.setQueryData<Typing>(keys.typing(id), {
            user: data.user,
            at: Date.now(),
          })
        return
      case 'presence':
        if (data.user) {
          const { id: person } = data.user
          client.setQueryData<Member[]>(keys.team, (team) =>
            team?.map((one) =>
              one.id === person && data.presence
                ? { ...one, presence: data.presence }
                : one,
            ),
          )
        }
        return
    }
  }
}
