import { describe, expect, it } from 'vitest'
import type { Member } from '../api/types'
import { manageable, onlyOwner } from './roles'

describe('roles', () => {
  it('can manage lower roles; owners can manage all', () => {
    expect(manageable('owner')).toEqual(['agent', 'manager', 'admin', 'owner'])
    expect(manageable('admin')).toEqual(['agent', 'manager'])
    expect(manageable('manager')).toEqual(['agent'])
    expect(manageable('agent')).toEqual([])
  })

  it('identify the only owner', () => {
    const [ana, bruno, caio] = ['owner', 'agent', 'owner'].map(
      (role, id) => ({ id: String(id), role }) as Member,
    ) as [Member, Member, Member]
    expect(onlyOwner([ana, bruno], ana)).toBe(true)
    expect(onlyOwner([ana, bruno], bruno)).toBe(false)
    expect(onlyOwner([ana, bruno, caio], ana)).toBe(false)
  })
})
