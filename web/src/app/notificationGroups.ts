import type { Notification } from '../api/types'

/** Group is one line of the notifications: the newest of some about the same thing, and whether one is unread. */
export type Group = { newest: Notification; ids: string[]; unread: string[] }

/**
 * subject returns what a notification is about. Each mention is alone, because it opens its own note, and so is what concerns no
 * conversation. The breach of a service level replaces its warning and is not hidden by what comes later.
 */
function subject({ kind, conversation, id }: Notification): string {
  if (kind === 'mentioned' || !conversation) return id
  if (kind === 'message_failed') return `${conversation.id} failed`
  return kind === 'sla_warning' || kind === 'sla_breached'
    ? `${conversation.id} level`
    : conversation.id
}

/** isWorse reports whether a case is already late when the warning of another target follows. */
const isWorse = (one: Notification, shown: Notification) =>
  one.kind === 'sla_breached' && shown.kind === 'sla_warning'

/** grouped puts the notifications about the same thing, newest first, into one line. */
export function grouped(notifications: Notification[]): Group[] {
  const groups = new Map<string, Group>()
  for (const one of notifications) {
    const key = subject(one)
    const group = groups.get(key) ?? { newest: one, ids: [], unread: [] }
    if (isWorse(one, group.newest)) group.newest = one
    group.ids.push(one.id)
    if (one.read_at === null) group.unread.push(one.id)
    groups.set(key, group)
  }
  return [...groups.values()]
}
