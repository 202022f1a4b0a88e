import type { Member, Role } from '../api/types'

/** The roles, least powerful first. */
export const roles: Role[] = ['agent', 'manager', 'admin', 'owner']

/** manageable returns the roles whose members a user can invite, edit and remove: all for owners, otherwise those below their own. */
export const manageable = (mine: Role): Role[] =>
  mine === 'owner' ? roles : roles.slice(0, roles.indexOf(mine))

/** onlyOwner reports whether a member is the company's only owner. */
export const onlyOwner = (team: Member[], member: Member): boolean =>
  member.role === 'owner' &&
  team.filter((one) => one.role === 'owner').length === 1
