import i18next, { type TFunction } from 'i18next'
import type { AuditEntry } from '../../api/types'
import { jobName } from '../../jobs/job'

/** Part is a piece of a sentence; names are emphasised. */
export type Part = { text: string; name: boolean }

/** readable turns an identifier into words: sla_policy becomes "sla policy". */
export const readable = (name: string) => name.replace(/[_.]+/g, ' ').trim()

const known = (key: string) => i18next.exists(key)

/** actorName returns who did something. */
export function actorName({ type, name }: AuditEntry['actor'], t: TFunction) {
  if (type === 'user') return name
  return type === 'key'
    ? t('audit.who.key', { name })
    : t(`audit.who.${type as 'system' | 'operator'}`, { defaultValue: name })
}

/** nounOf returns the name of a type of subject, with its article where the language has one. */
const nounOf = (type: string, t: TFunction): string =>
  known(`audit.noun.${type}`)
    ? t(`audit.noun.${type as 'key'}`)
    : readable(type)

/** subjectName returns the name of what an entry is about as people know it, or '' if it has none. */
export function subjectName({ action, subject }: AuditEntry, t: TFunction) {
  const { name } = subject
  if (action === 'job.cancelled') return jobName(name, t)
  return action === 'csv.exported' && known(`audit.csv.${name}`)
    ? t(`audit.csv.${name as 'contacts'}`)
    : name
}

/** variantOf returns which sentence to use if an action has several: for what people do to themselves, for contacts that a person of the team opted out, and for kinds of imports. */
function variantOf({ action, actor, subject, changes }: AuditEntry): string {
  if (action === 'import.created')
    return String(changes.find(({ field }) => field === 'kind')?.to)
  if (action.startsWith('contact.')) return actor.type === 'system' ? '' : 'by'
  if (subject.type === 'session') return 'own'
  if (actor.id === null || actor.id !== subject.id) return ''
  return action === 'session.ended' ? 'others' : 'own'
}

// Placeholders for names, which may contain anything.
const who = '\u0001'
const what = '\u0002'

/** templateOf returns the sentence of an action with placeholders for the names, or null for an action that is not known. */
function templateOf(entry: AuditEntry, t: TFunction): string | null {
  const { action, subject, changes } = entry
  const [noun = '', verb = ''] = action.split('.')
  const [change] = changes
  if (action === 'member.updated' && change?.field === 'role' && !changes[1])
    return t('audit.role', {
      who,
      what,
      from: roleName(change.from, t),
      to: roleName(change.to, t),
    })
  for (const key of [`${action}_${variantOf(entry)}`, action])
    if (known(`audit.action.${key}`))
      return t(`audit.action.${key as 'member.invited'}`, { who, what })
  if (!known(`audit.verb.${verb}`)) return null
  const thing = nounOf(noun, t)
  return t(`audit.verb.${verb as 'created'}`, {
    who,
    what: subject.name && !singletons.has(noun) ? `${thing} ${what}` : thing,
  })
}

/** singletons are things of which a company has one; their names say nothing. */
const singletons = new Set([
  'company',
  'rules',
  'survey',
  'retention',
  'rates',
  'budget',
  'opt_out',
])

/** roleName returns the name of a role. */
export const roleName = (role: unknown, t: TFunction): string =>
  typeof role === 'string' && known(`team.roles.${role}`)
    ? t(`team.roles.${role as 'agent'}`)
    : String(role)

/** partsOf returns the sentence for an entry: who did what. Actions that the app does not know are shown as words. */
export function partsOf(entry: AuditEntry, t: TFunction): Part[] {
  const { actor, action } = entry
  const name = subjectName(entry, t)
  const sentence =
    templateOf(entry, t) ??
    t(name ? 'audit.unknown' : 'audit.unknownThing', {
      who,
      what,
      action: readable(action),
    })
  const names: Record<string, string> = {
    [who]: actorName(actor, t),
    [what]: name || t('details.erasedPerson'), // only erasures remove names
  }
  return sentence
    .split(/([\u0001\u0002])/)
    .filter(Boolean)
    .map((text) => {
      const name = names[text]
      return { text: name ?? text, name: name !== undefined }
    })
}

/** sentenceOf returns the sentence of an entry as text. */
export const sentenceOf = (entry: AuditEntry, t: TFunction) =>
  partsOf(entry, t)
    .map(({ text }) => text)
    .join('')
