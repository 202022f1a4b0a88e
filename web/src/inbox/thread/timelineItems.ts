import type { TimelineEntry } from '../../api/types'
import { dayKey } from '../../ui/format'
import type { Item } from '../composer/outbox'

/** ThreadItem is one rendered line of the thread. */
export type ThreadItem =
  | { key: string; kind: 'day'; at: string }
  | { key: string; kind: 'fresh' }
  | { key: string; kind: 'entry'; entry: TimelineEntry }
  | { key: string; kind: 'pending'; item: Item }

const clientId = (entry: TimelineEntry) =>
  entry.kind === 'message'
    ? entry.message.client_id
    : entry.kind === 'note'
      ? entry.note.client_id
      : null

/**
 * threadItems adds separators between the entries and pending messages at the end. A message sent from this page keeps its
 * key when the server confirms it, so that it is not re-mounted.
 */
export function threadItems(
  entries: TimelineEntry[],
  waiting: Item[],
  separator: string | null,
): ThreadItem[] {
  const items: ThreadItem[] = []
  const sent = new Set(entries.map(clientId))
  let shownDay = ''
  for (const entry of entries) {
    const key = dayKey(entry.at)
    if (key !== shownDay)
      items.push({ key: `day ${key} ${entry.id}`, kind: 'day', at: entry.at })
    shownDay = key
    if (entry.id === separator) items.push({ key: 'fresh', kind: 'fresh' })
    items.push({
      key: `${entry.kind} ${clientId(entry) ?? entry.id}`,
      kind: 'entry',
      entry,
    })
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

/** atTime encodes a time as the start position of a thread; a message is given by its id. */
export const atTime = (at: string) => `at:${at}`

/** timeOf returns the time encoded in a position, or null. */
export const timeOf = (place: string) =>
  place.startsWith('at:') ? place.slice(3) : null

/** lineAt returns the line at which a thread opens: the message, or the first line at or after the time, with its date separator. */
export function lineAt(items: ThreadItem[], place: string): string | null {
  const at = timeOf(place)
  const index = items.findIndex(
    (item) =>
      item.kind === 'entry' &&
      (at === null ? item.entry.id === place : item.entry.at >= at),
  )
  const before = items[index - 1]
  return (
    (at !== null && before?.kind === 'day' ? before : items[index])?.key ?? null
  )
}

/** alignOf returns how the start line is aligned: separators at the top, messages in the middle. */
export const alignOf = (item: ThreadItem | undefined) =>
  item?.kind === 'entry' || item?.kind === 'pending' ? 'center' : 'start'

/** estimate returns the estimated height of a line until it is measured. */
export function estimate(item: ThreadItem | undefined): number {
  if (!item || item.kind === 'day' || item.kind === 'fresh') return 44
  if (item.kind === 'pending') return 60
  const { entry } = item
  if (entry.kind === 'message') {
    const text = entry.message.text ?? ''
    const lines = Math.ceil(text.length / 60) + (text.match(/\n/g)?.length ?? 0)
    const attached = entry.message.media
      ? entry.message.type === 'image' || entry.message.type === 'video'
        ? 230
        : 60
      : 0
    return 44 + attached + Math.max(1, lines) * 20
  }
  return entry.kind === 'note' ? 70 : 28
}
