import type { Member, Role } from '../api/types'

/** roles from the least to the most powerful. */
export const roles: Role[] = ['agent', 'manager', 'admin', 'owner']

/** manageable are the roles whose members a person may invite, change and remove: owners all, others those below their own. */
export const manageable = (mine: Role): Role[] =>
  mine === 'owner' ? roles : roles.slice(0, roles.indexOf(mine))

/** onlyOwner tells that the company would be without an owner if this member were none. */
export const onlyOwner = (team: Member[], member: Member): boolean =>
  member.role === 'owner' &&
  team.filter((one) => one.role === 'owner').length === 1
