import type { AuditQuery } from '../../api/types'

/** AuditSearch is the search part of the audit's URL. who and name are the names of the actor and the subject, which the server may not list any more. */
export type AuditSearch = {
  actor?: string
  who?: string
  action?: string
  subject?: string
  name?: string
  from?: string
  to?: string
}

const day = /^\d{4}-\d{2}-\d{2}$/
const fitting = (value: unknown, pattern: RegExp) =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/** readAuditSearch returns the valid search parameters and drops the others. */
export function readAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const actor = fitting(raw.actor, /^[\w-]{1,64}$/)
  const subject = fitting(raw.subject, /^[\w.-]{1,64}$/)
  return {
    actor,
    who: actor && fitting(raw.who, /^.{1,200}$/),
    action: fitting(raw.action, /^[\w.]{1,64}$/),
    subject,
    name: subject && fitting(raw.name, /^.{1,200}$/),
    from: fitting(raw.from, day),
    to: fitting(raw.to, day),
  }
}

/** nextDay returns the day after a day: the API's period ends before its last day. */
export const nextDay = (date: string) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000)
    .toISOString()
    .slice(0, 10)

/** auditQuery returns the filters for the API. The last day is included. */
export function auditQuery(search: AuditSearch): AuditQuery {
  const query: AuditQuery = {}
  for (const name of ['actor', 'action', 'subject', 'from'] as const)
    if (search[name]) query[name] = search[name]
  if (search.to) query.to = nextDay(search.to)
  return query
}

/** actionGroups lists the actions that can be selected, by what they are about. Each stands for all actions that begin with it. */
export const actionGroups = [
  {
    name: 'access',
    actions: [
      'session',
      'password',
      'reset_link',
      'two_factor',
      'member',
      'invitation',
      'sector',
      'key',
    ],
  },
  {
    name: 'data',
    actions: ['contact', 'note', 'csv', 'import', 'job', 'retention'],
  },
  {
    name: 'numbers',
    actions: ['channel', 'template', 'reception', 'hours', 'opt_out'],
  },
  {
    name: 'rules',
    actions: [
      'company',
      'rules',
      'sla_policy',
      'survey',
      'reason',
      'field',
      'label',
      'reply',
      'view',
      'rates',
      'budget',
    ],
  },
  { name: 'boards', actions: ['board', 'stage', 'card'] },
  { name: 'integrations', actions: ['webhook'] },
] as const
