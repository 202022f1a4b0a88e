import type { Message, TimelineEntry } from '../../api/types'
import { timeOf } from '../../contact/place'
import { dayKey } from '../../ui/format'
import type { Item } from '../composer/outbox'
import { pictureSize } from './pictureSize'

/** CaseEvent is a change of a case: assigned, opened or closed. */
export type CaseEvent = Exclude<TimelineEntry, { kind: 'message' | 'note' }>

/** ThreadItem is one rendered line of the thread. */
export type ThreadItem =
  | { key: string; kind: 'day'; at: string }
  | { key: string; kind: 'fresh' }
  | { key: string; kind: 'entry'; entry: TimelineEntry }
  | { key: string; kind: 'album'; at: string; messages: Message[] }
  | { key: string; kind: 'events'; at: string; entries: CaseEvent[] }
  | { key: string; kind: 'pending'; item: Item }

const clientId = (entry: TimelineEntry) =>
  entry.kind === 'message'
    ? entry.message.client_id
    : entry.kind === 'note'
      ? entry.note.client_id
      : null

/** isHeld reports whether an entry is a message that waits for the customer's answer. */
const isHeld = (entry: TimelineEntry) =>
  entry.kind === 'message' && entry.message.status === 'held'

/** lineOf returns an entry as a line of its own. */
const lineOf = (entry: TimelineEntry): ThreadItem => ({
  key: `${entry.kind} ${clientId(entry) ?? entry.id}`,
  kind: 'entry',
  entry,
})

const isEvent = (entry: TimelineEntry): entry is CaseEvent =>
  entry.kind !== 'message' && entry.kind !== 'note'

/** albumMinutes is the longest pause between two pictures of an album. */
const albumMinutes = 5

/** isPicture reports whether a message can be part of an album: an image or a video without text. */
const isPicture = (message: Message) =>
  (message.type === 'image' || message.type === 'video') &&
  message.media !== null &&
  !message.text &&
  !message.reply_to_external_id &&
  !message.referral &&
  !message.revoked_at &&
  message.status !== 'failed' &&
  message.status !== 'held'

/** belongTogether reports whether two neighbouring pictures belong to one album. */
function belongTogether(a: Message, b: Message): boolean {
  return (
    isPicture(a) &&
    isPicture(b) &&
    a.direction === b.direction &&
    a.origin === b.origin &&
    a.sent_by?.id === b.sent_by?.id &&
    a.integration?.id === b.integration?.id &&
    a.author?.id === b.author?.id &&
    a.author?.name === b.author?.name &&
    Math.abs(Date.parse(b.created_at) - Date.parse(a.created_at)) <=
      albumMinutes * 60_000
  )
}

/** opens reports whether a message opened a case. A case of the customer is always opened by the message before it. */
const opens = (message: TimelineEntry, entry: TimelineEntry) =>
  message.kind === 'message' &&
  entry.kind === 'attendance_opened' &&
  dayKey(message.at) === dayKey(entry.at) &&
  (entry.attendance.opened_by === 'customer'
    ? message.message.direction === 'inbound'
    : message.message.direction === 'outbound' &&
      Math.abs(Date.parse(entry.at) - Date.parse(message.at)) < 2000)

const byTime = (a: TimelineEntry, b: TimelineEntry) =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : 0

/**
 * inOrder sorts the events and notes between two messages by time, because the server orders them by kind. The opening of a case
 * comes before the message that opened it.
 */
export function inOrder(entries: TimelineEntry[]): TimelineEntry[] {
  const ordered: TimelineEntry[] = []
  let between: TimelineEntry[] = []
  const flush = () => {
    const message = ordered.at(-1)
    const opened = between.filter((one) => message && opens(message, one))
    if (opened.length > 0) ordered.splice(-1, 0, ...opened)
    ordered.push(...between.filter((one) => !opened.includes(one)).sort(byTime))
    between = []
  }
  for (const entry of entries) {
    if (entry.kind !== 'message') between.push(entry)
    else {
      if (between.length > 0) flush()
      ordered.push(entry)
    }
  }
  flush()
  return ordered
}

/** withHeldLast moves held messages to the end, or before the customer's next message, which sends them. */
function withHeldLast(entries: TimelineEntry[]): TimelineEntry[] {
  const ordered: TimelineEntry[] = []
  const held: TimelineEntry[] = []
  for (const entry of entries) {
    if (isHeld(entry)) held.push(entry)
    else {
      if (entry.kind === 'message' && entry.message.direction === 'inbound')
        ordered.push(...held.splice(0))
      ordered.push(entry)
    }
  }
  return [...ordered, ...held]
}

/**
 * threadItems returns the lines of a thread: entries with separators between them, pictures in a row as albums, neighbouring events as
 * one line, and held and pending messages at the end. A message sent from this page keeps its key when the server confirms it, so that it
 * is not re-mounted. The closing of a case stays a line of its own.
 */
export function threadItems(
  entries: TimelineEntry[],
  waiting: Item[],
  separator: string | null,
): ThreadItem[] {
  const items: ThreadItem[] = []
  const sent = new Set(entries.map(clientId))
  let shownDay = ''
  for (const entry of withHeldLast(inOrder(entries))) {
    const key = dayKey(entry.at)
    // A held message may be older than what stands above it.
    if (isHeld(entry) ? key > shownDay : key !== shownDay) {
      items.push({ key: `day ${key} ${entry.id}`, kind: 'day', at: entry.at })
      shownDay = key
    }
    if (entry.id === separator) items.push({ key: 'fresh', kind: 'fresh' })
    const joined = join(items.at(-1), entry)
    if (joined) items[items.length - 1] = joined
    else items.push(lineOf(entry))
  }
  for (const item of waiting) {
    if (!sent.has(item.client_id))
      items.push({
        key: `${item.kind} ${item.client_id}`,
        kind: 'pending',
        item,
      })
  }
  return items
}

/** join adds an entry to the line before it, or returns null if it needs a line of its own. */
function join(
  line: ThreadItem | undefined,
  entry: TimelineEntry,
): ThreadItem | null {
  if (entry.kind === 'message') {
    const messages =
      line?.kind === 'album'
        ? line.messages
        : line?.kind === 'entry' && line.entry.kind === 'message'
          ? [line.entry.message]
          : []
    const last = messages.at(-1)
    return line && last && belongTogether(last, entry.message)
      ? {
          key: line.key,
          kind: 'album',
          at: messages[0]?.created_at ?? entry.at,
          messages: [...messages, entry.message],
        }
      : null
  }
  if (!isEvent(entry) || entry.kind === 'attendance_closed') return null
  const events =
    line?.kind === 'events'
      ? line.entries
      : line?.kind === 'entry' && isEvent(line.entry)
        ? [line.entry]
        : []
  const [first] = events
  return line && first && first.kind !== 'attendance_closed'
    ? {
        key: line.key,
        kind: 'events',
        at: first.at,
        entries: [...events, entry],
      }
    : null
}

/** sideOf returns the side on which a line's bubble stands, or null for lines without one. */
const sideOf = (item: ThreadItem | undefined) =>
  item?.kind === 'album'
    ? item.messages[0]?.direction
    : item?.kind === 'pending'
      ? 'outbound'
      : item?.kind !== 'entry'
        ? null
        : item.entry.kind === 'message'
          ? item.entry.message.direction
          : item.entry.kind === 'note'
            ? 'note'
            : null

/** isTurn reports whether a message follows one of the other side. */
export function isTurn(before: ThreadItem | undefined, item: ThreadItem) {
  const [from, to] = [sideOf(before), sideOf(item)]
  return !!from && !!to && from !== to
}

/** startOf returns the time of a line's first entry, or null for separators and pending messages. */
const startOf = (item: ThreadItem) =>
  item.kind === 'entry'
    ? item.entry.at
    : item.kind === 'album' || item.kind === 'events'
      ? item.at
      : null

/** contains reports whether a line shows an entry. */
export const contains = (item: ThreadItem, id: string) =>
  item.kind === 'entry'
    ? item.entry.id === id
    : item.kind === 'album'
      ? item.messages.some((one) => one.id === id)
      : item.kind === 'events' && item.entries.some((one) => one.id === id)

/** lineAt returns the line at which a thread opens: the message, or the first line at or after the time, with its date separator. */
export function lineAt(items: ThreadItem[], place: string): string | null {
  const at = timeOf(place)
  const index = items.findIndex((item) =>
    at === null ? contains(item, place) : (startOf(item) ?? '') >= at,
  )
  const before = items[index - 1]
  return (
    (at !== null && before?.kind === 'day' ? before : items[index])?.key ?? null
  )
}

/** alignOf returns how the start line is aligned: separators at the top, messages in the middle. */
export const alignOf = (item: ThreadItem | undefined) =>
  !item || item.kind === 'day' || item.kind === 'fresh' ? 'start' : 'center'

/** estimate returns the estimated height of a line until it is measured. */
export function estimate(item: ThreadItem | undefined): number {
  if (!item || item.kind === 'day' || item.kind === 'fresh') return 44
  if (item.kind === 'pending') return 60
  if (item.kind === 'events') return 28
  if (item.kind === 'album') return item.messages.length > 2 ? 350 : 190
  const { entry } = item
  if (entry.kind === 'attendance_closed')
    return entry.attendance.survey?.rating ? 64 : 28
  if (entry.kind !== 'message') return entry.kind === 'note' ? 70 : 28
  const { media, type } = entry.message
  const text = entry.message.text ?? ''
  const lines = Math.ceil(text.length / 60) + (text.match(/\n/g)?.length ?? 0)
  const attached =
    type === 'image' || type === 'video'
      ? media
        ? pictureSize(media).height + 6
        : 0
      : type === 'sticker'
        ? 130
        : type === 'location'
          ? 180
          : type === 'contacts'
            ? 110
            : media
              ? 60
              : 0
  const frame = type === 'text' ? 14 : 30
  return (
    frame + attached + Math.min(13, media ? lines : Math.max(1, lines)) * 20
  )
}
