// @vitest-environment jsdom
import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { Failure } from '../src/api/client'
import { problemsOf } from '../src/api/refusal'
import type { Member, Sector } from '../src/api/types'
import { changed } from '../src/settings/changed'
import { manageable, onlyOwner } from '../src/settings/roles'
import { bodyOf, changesOf, draftOf } from '../src/settings/sectorForm'

const t = ((key: string) => key) as TFunction
const refused = (code: string, details: { field: string; message: string }[] = [], message = 'refused') => new Failure(400, code, message, undefined, details, null)

describe('what the server refused', () => {
  it('stands at the field, as a sentence', () => {
    expect(problemsOf(refused('invalid_request', [{ field: 'body.credentials.token', message: 'is not accepted. WhatsApp says: no' }]), t, { fields: ['credentials.token'] })).toEqual({ fields: { 'credentials.token': 'wrong.other' }, other: null })
    expect(problemsOf(refused('invalid_request', [{ field: 'body.email', message: 'must be an e-mail address' }]), t, { fields: ['email'] }).fields).toEqual({ email: 'wrong.email' })
  })

  it('is said in the words of the screen where it has some', () => {
    const words = (message: string) => (message.startsWith('is not accepted') ? 'Refused by WhatsApp.' : undefined)
    expect(problemsOf(refused('invalid_request', [{ field: 'body.credentials.token', message: 'is not accepted' }]), t, { fields: ['credentials.token'], words }).fields).toEqual({ 'credentials.token': 'Refused by WhatsApp.' })
  })

  it('stands below the form where the form has no such field', () => {
    expect(problemsOf(refused('invalid_request', [{ field: 'path.id', message: 'is the only viewer' }]), t, { fields: ['name'] })).toEqual({ fields: {}, other: 'wrong.onlyViewer' })
    expect(problemsOf(refused('unavailable'), t)).toEqual({ fields: {}, other: 'refusal.unavailable' })
    expect(problemsOf(refused('limit_reached'), t)).toEqual({ fields: {}, other: 'refusal.limit_reached' })
    expect(problemsOf(new Error('defect'), t)).toEqual({ fields: {}, other: 'errors.unknown' })
  })

  it('names a name that is in use at the field that has it', () => {
    expect(problemsOf(refused('name_taken'), t, { fields: ['name'] })).toEqual({ fields: { name: 'refusal.name_taken' }, other: null })
    expect(problemsOf(refused('name_taken'), t, { fields: ['email'], taken: 'email' })).toEqual({ fields: { email: 'wrong.emailTaken' }, other: null })
  })
})

describe('roles', () => {
  it('manage those below their own, and owners all', () => {
    expect(manageable('owner')).toEqual(['agent', 'manager', 'admin', 'owner'])
    expect(manageable('admin')).toEqual(['agent', 'manager'])
    expect(manageable('manager')).toEqual(['agent'])
    expect(manageable('agent')).toEqual([])
  })

  it('tell who is the only owner', () => {
    const [ana, bruno, caio] = ['owner', 'agent', 'owner'].map((role, id) => ({ id: String(id), role }) as Member) as [Member, Member, Member]
    expect(onlyOwner([ana, bruno], ana)).toBe(true)
    expect(onlyOwner([ana, bruno], bruno)).toBe(false)
    expect(onlyOwner([ana, bruno, caio], ana)).toBe(false)
  })
})

describe('what a form sends', () => {
  const sector: Sector = {
    id: '1', name: 'Vendas', hours_id: null, queues: [], members: [{ id: 'b', name: 'Bia' }, { id: 'a', name: 'Caio' }],
    distribution: { mode: 'round_robin', capacity: 10, prefer_last: false, return_after_minutes: null },
  }
  const first = draftOf(sector)

  it('is only what differs from what was loaded', () => {
    expect(changed({ name: 'Loja', days: ['mon'] }, { name: 'Loja', days: ['mon', 'tue'] })).toEqual({ days: ['mon', 'tue'] })
    expect(changesOf(first, first)).toEqual({})
    expect(changesOf(first, { ...first, name: ' Suporte ' })).toEqual({ name: 'Suporte' })
    expect(changesOf(first, { ...first, members: ['a', 'b'], hours: 'h' })).toEqual({ hours_id: 'h' })
    expect(changesOf(first, { ...first, members: ['a'] })).toEqual({ member_ids: ['a'] })
    expect(changesOf(first, { ...first, distribution: { ...first.distribution, capacity: 4 } })).toEqual({ distribution: { capacity: 4 } })
  })

  it('is everything for a new sector, without a capacity that was cleared', () => {
    const draft = { ...draftOf(null), name: 'Suporte' }
    expect(bodyOf(draft)).toEqual({ name: 'Suporte', member_ids: [], hours_id: null, distribution: { mode: 'manual', capacity: 10, prefer_last: false, return_after_minutes: null } })
    expect(bodyOf({ ...draft, distribution: { ...draft.distribution, capacity: null } }).distribution).not.toHaveProperty('capacity')
  })
})
