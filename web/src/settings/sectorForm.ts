import type { Distribution, Sector } from '../api/types'
import { changed } from './changed'

/** DistributionDraft is the distribution settings being edited; a null capacity is an empty field. */
export type DistributionDraft = Omit<Distribution, 'capacity'> & {
  capacity: number | null
}

/** SectorDraft is a department being edited. */
export type SectorDraft = {
  name: string
  members: string[]
  hours: string | null
  distribution: DistributionDraft
}

const newSector: SectorDraft = {
  name: '',
  members: [],
  hours: null,
  distribution: {
    mode: 'manual',
    capacity: 10,
    prefer_last: false,
    return_after_minutes: null,
  },
}

/** draftOf returns the initial draft of the form; null starts a new department. */
export const draftOf = (sector: Sector | null): SectorDraft =>
  sector
    ? {
        name: sector.name,
        members: sector.members.map((member) => member.id),
        hours: sector.hours_id,
        distribution: sector.distribution,
      }
    : newSector

/** bodyOf converts a draft to a request body. An empty capacity, which only a hidden field can have, is omitted. */
export function bodyOf({
  name,
  members,
  hours,
  distribution: { capacity, ...rules },
}: SectorDraft) {
  return {
    name: name.trim(),
    member_ids: [...members].sort(),
    hours_id: hours,
    distribution: capacity === null ? rules : { ...rules, capacity },
  }
}

/** changesOf returns the changed fields of a department as a request body. */
export function changesOf(before: SectorDraft, now: SectorDraft) {
  const [first, { distribution, ...rest }] = [bodyOf(before), bodyOf(now)]
  const rules = changed(first.distribution, distribution)
  return {
    ...changed(first, rest),
    ...(Object.keys(rules).length > 0 && { distribution: rules }),
  }
}
