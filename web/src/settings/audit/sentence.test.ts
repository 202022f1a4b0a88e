// @vitest-environment jsdom
import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import type { AuditEntry } from '../../api/types'
import codes from '../../api/codes.json'
import base from '../../locales/en.json'
import audit from '../../locales/audit/en.json'
import auditEs from '../../locales/audit/es.json'
import auditPt from '../../locales/audit/pt-BR.json'
import jobs from '../../locales/jobs/en.json'
import settings from '../../locales/settings/en.json'
import { actionGroups } from './search'
import { partsOf, sentenceOf } from './sentence'
import { fieldName, valueText } from './values'

beforeAll(() =>
  i18next.init({
    lng: 'en',
    resources: {
      en: { translation: { ...base, ...settings, ...jobs, ...audit } },
    },
    interpolation: { escapeValue: false },
  }),
)

const entry = (part: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  at: '2026-11-18T10:00:00Z',
  actor: { type: 'user', id: 'a', name: 'Ana' },
  ip: null,
  action: 'key.created',
  subject: { type: 'key', id: 'k', name: 'Shop' },
  changes: [],
  request_id: null,
  ...part,
})
const text = (part: Partial<AuditEntry>) => sentenceOf(entry(part), i18next.t)

it('a change of a role names both roles', () => {
  expect(
    text({
      action: 'member.updated',
      subject: { type: 'member', id: 'b', name: 'Bruno' },
      changes: [{ field: 'role', from: 'agent', to: 'manager' }],
    }),
  ).toBe('Ana changed the role of Bruno: Agent → Manager')
})

it('an action is told from its noun and verb', () => {
  expect(text({})).toBe('Ana created the API key Shop')
  expect(
    text({
      action: 'rules.updated',
      subject: { type: 'rules', id: null, name: '' },
    }),
  ).toBe('Ana changed the rules for cases')
})

it('a new secret of a webhook is not told as another webhook', () => {
  expect(
    text({
      action: 'webhook.rotated',
      subject: { type: 'webhook', id: 'w', name: 'Orders' },
    }),
  ).toBe('Ana rotated the secret of the webhook Orders')
})

it('what people do to themselves is told differently', () => {
  const own = { type: 'member', id: 'a', name: 'Ana' }
  expect(text({ action: 'password.changed', subject: own })).toBe(
    'Ana changed their own password',
  )
  expect(
    text({
      action: 'password.changed',
      subject: own,
      actor: { type: 'operator', id: null, name: 'operator' },
    }),
  ).toBe('Command line changed Ana’s password')
})

it('signing out is told from ending other sessions', () => {
  const ended = (type: string, id: string, name: string) =>
    text({ action: 'session.ended', subject: { type, id, name } })
  expect(ended('session', 's', 'Ana')).toBe('Ana signed out')
  expect(ended('member', 'a', 'Ana')).toBe(
    'Ana signed out on their other devices',
  )
  expect(ended('member', 'b', 'Bruno')).toBe('Ana signed out Bruno')
})

it('an erased person has no name', () => {
  const subject = { type: 'contact', id: 'c', name: '' }
  expect(text({ action: 'contact.erased', subject })).toBe(
    'Ana erased the personal data of a contact',
  )
  expect(text({ action: 'contact.exported', subject })).toBe(
    'Ana exported the personal data of Erased person',
  )
})

it('opting out names the person of the team who did it', () => {
  const opted = {
    action: 'contact.opted_out',
    subject: { type: 'contact', id: 'c', name: 'Carla' },
  }
  expect(text(opted)).toBe('Ana opted Carla out of automatic messages')
  expect(
    text({ ...opted, actor: { type: 'system', id: null, name: 'system' } }),
  ).toBe('Carla opted out of automatic messages')
})

it('lists, jobs and imports are named as people know them', () => {
  expect(
    text({
      action: 'csv.exported',
      subject: { type: 'list', id: null, name: 'attendances' },
    }),
  ).toBe('Ana downloaded a list as CSV: cases')
  expect(
    text({
      action: 'job.cancelled',
      subject: { type: 'job', id: 'j', name: 'chat_import' },
    }),
  ).toBe('Ana stopped a job: Import of a chat')
  expect(
    text({
      action: 'import.created',
      subject: { type: 'job', id: 'j', name: '' },
      changes: [{ field: 'kind', from: null, to: 'contacts' }],
    }),
  ).toBe('Ana started an import of contacts')
})

it('unknown nouns and actions are shown as words', () => {
  expect(
    text({
      action: 'robot_arm.created',
      subject: { type: 'robot_arm', id: 'r', name: 'Left' },
    }),
  ).toBe('Ana created robot arm Left')
  expect(
    text({
      action: 'robot_arm.calibrated',
      subject: { type: 'robot_arm', id: 'r', name: 'Left' },
    }),
  ).toBe('Ana: robot arm calibrated, Left')
})

it('names are separate parts, whatever they contain', () => {
  const parts = partsOf(
    entry({ subject: { type: 'key', id: 'k', name: '{{who}} $1' } }),
    i18next.t,
  )
  expect(parts.filter(({ name }) => name).map((one) => one.text)).toEqual([
    'Ana',
    '{{who}} $1',
  ])
})

it('values are shown as people know them', () => {
  const shown = (field: string, value: unknown) =>
    valueText(field, value, i18next.t, (id) =>
      id.startsWith('0') ? 'Sales' : undefined,
    )
  expect(shown('role', 'owner')).toBe('Owner')
  expect(shown('distribution.mode', 'round_robin')).toBe('round robin')
  expect(shown('active', false)).toBe('No')
  expect(shown('sectors', [{ id: 'x', name: 'Support' }])).toBe('Support')
  expect(shown('sector_ids', ['00000000-0000-7000-8000-000000000001'])).toBe(
    'Sales',
  )
  expect(shown('hours_id', null)).toBe('—')
  expect(shown('wrong', 'password')).toBe('wrong password')
  expect(shown('reason', 'asked for it')).toBe('asked for it')
  expect(shown('reason', 'logged_out')).toBe(settings.channelText.logged_out)
  expect(
    shown('rates', [{ category: 'marketing', amount: 1, until: null }]),
  ).toBe('Category: marketing, Amount: 1')
  expect(shown('rates', [{ country: '*' }])).toBe('Country: other countries')
  expect(shown('exceptions', [{ closed: true, periods: [] }])).toBe(
    'Closed: Yes',
  )
  expect(fieldName('auto_close.after_minutes', i18next.t)).toBe(
    'Automatic closing › after (minutes)',
  )
})

it.each([
  ['en', audit],
  ['pt-BR', auditPt],
  ['es', auditEs],
])('%s has a sentence for every action of the server', async (lng, texts) => {
  const other = i18next.createInstance()
  await other.init({
    lng,
    resources: { [lng]: { translation: texts } },
    interpolation: { escapeValue: false },
  })
  const missing = codes.actions.filter((action) => {
    const [noun = '', verb = ''] = action.split('.')
    return (
      !other.exists(`audit.action.${action}`) &&
      !(
        other.exists(`audit.verb.${verb}`) && other.exists(`audit.noun.${noun}`)
      )
    )
  })
  expect(missing).toEqual([])
})

it.each([
  ['en', audit],
  ['pt-BR', auditPt],
  ['es', auditEs],
])('%s has a text for every field and value', (_, { audit: texts }) => {
  expect(Object.keys(texts.field).toSorted()).toEqual(codes.audit_fields)
  const values = Object.entries(texts.value).flatMap(([field, known]) =>
    Object.keys(known).map((value) => `${field}.${value}`),
  )
  expect(values.toSorted()).toEqual(
    codes.audit_values.filter((value) => !value.startsWith('role.')), // shown by roleName
  )
})

it('only nouns and verbs of the server have texts', () => {
  const told = Object.entries(audit.audit.action).flatMap(([noun, verbs]) =>
    Object.keys(verbs).map((verb) => `${noun}.${verb}`),
  )
  const others = codes.actions
    .filter((action) => !told.includes(action))
    .map((action) => action.split('.'))
  const unused = (texts: object, part: number) =>
    Object.keys(texts).filter(
      (name) => !others.some((action) => action[part] === name),
    )
  expect(unused(audit.audit.noun, 0)).toEqual([])
  expect(unused(audit.audit.verb, 1)).toEqual([])
})

it('the filter offers exactly the nouns of the server', () => {
  const nouns = codes.actions.map((action) => action.split('.')[0])
  expect(
    actionGroups.flatMap(({ actions }) => [...actions]).toSorted(),
  ).toEqual([...new Set(nouns)].toSorted())
})
