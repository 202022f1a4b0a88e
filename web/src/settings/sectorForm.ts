import type { Distribution, Sector } from '../api/types'
import { changed } from './changed'

/** DistributionDraft is the distribution of a sector as the form has it; null as the capacity: the field is empty. */
export type DistributionDraft = Omit<Distribution, 'capacity'> & {
  capacity: number | null
}

/** SectorDraft is a sector as the form has it. */
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

/** draftOf is what the form of a sector begins with; null is a new sector. */
export const draftOf = (sector: Sector | null): SectorDraft =>
  sector
    ? {
        name: sector.name,
        members: sector.members.map((member) => member.id),
        hours: sector.hours_id,
        distribution: sector.distribution,
      }
    : newSector

/** bodyOf is a sector as the API takes it. An empty capacity, which only a hidden field can have, is left out. */
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

/** changesOf is what a form changes in a sector, as the API takes it. */
export function changesOf(before: SectorDraft, now: SectorDraft) {
  const [first, { distribution, ...rest }] = [bodyOf(before), bodyOf(now)]
  const rules = changed(first.distribution, distribution)
  return {
    ...changed(first, rest),
    ...(Object.keys(rules).length > 0 && { distribution: rules }),
  }
}
