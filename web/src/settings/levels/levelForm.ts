import type { TFunction } from 'i18next'
import type { Policy } from '../../api/types'

/** LevelDraft is a service level being edited. Targets are in minutes; null is none. */
export type LevelDraft = {
  name: string
  /** all reports whether it applies to the cases without another policy. */
  all: boolean
  sectors: string[]
  first: number | null
  next: number | null
  resolution: number | null
  clock: Policy['clock']
  warn: number | null
}

type Sectors = { id: string; name: string }[]

const folded = (text: string) => text.trim().toLocaleLowerCase()

/** restOf returns the policy of all other cases, unless it is the one being edited. */
export const restOf = (policies: Policy[], edited: Policy | null) =>
  policies.find(
    (one) => one.id !== edited?.id && one.sector_ids.length === 0,
  ) ?? null

/** draftOf returns the draft of a policy, or of a new one. Removed departments are left out. */
export function draftOf(
  policy: Policy | null,
  policies: Policy[],
  sectors: Sectors,
): LevelDraft {
  if (!policy)
    return {
      name: '',
      all: restOf(policies, null) === null,
      sectors: [],
      first: 15,
      next: 60,
      resolution: null,
      clock: 'hours',
      warn: 80,
    }
  return {
    name: policy.name,
    all: policy.sector_ids.length === 0,
    sectors: policy.sector_ids.filter((id) =>
      sectors.some((one) => one.id === id),
    ),
    first: policy.first_response_minutes,
    next: policy.next_response_minutes,
    resolution: policy.resolution_minutes,
    clock: policy.clock,
    warn: policy.warn_percent,
  }
}

/** bodyOf returns the policy to store. */
export const bodyOf = (draft: LevelDraft) => ({
  name: draft.name.trim(),
  sector_ids: draft.all ? [] : draft.sectors,
  first_response_minutes: draft.first,
  next_response_minutes: draft.next,
  resolution_minutes: draft.resolution,
  clock: draft.clock,
  warn_percent: draft.warn ?? 80,
})

/** conflictsOf returns what is taken by other policies, by field: a case has one policy. */
export function conflictsOf(
  draft: LevelDraft,
  policies: Policy[],
  edited: Policy | null,
  sectors: Sectors,
  t: TFunction,
): { name?: string; sectors?: string } {
  const others = policies.filter((one) => one.id !== edited?.id)
  const rest = restOf(policies, edited)
  const named = others.some((one) => folded(one.name) === folded(draft.name))
  const shared = draft.sectors.flatMap((id) => {
    const owner = others.find((one) => one.sector_ids.includes(id))
    const sector = sectors.find((one) => one.id === id)
    return owner && sector ? { policy: owner.name, sector: sector.name } : []
  })[0]
  return {
    name: named ? t('refusal.name_taken') : undefined,
    sectors:
      draft.all && rest
        ? t('levels.restTaken', { policy: rest.name })
        : !draft.all && shared
          ? t('levels.sectorTaken', shared)
          : undefined,
  }
}

/** missingOf returns what the user has not filled in, by field. */
export function missingOf(
  draft: LevelDraft,
  t: TFunction,
): { sectors?: string; targets?: string } {
  return {
    sectors:
      !draft.all && draft.sectors.length === 0
        ? t('levels.chooseSector')
        : undefined,
    targets:
      draft.first === null && draft.next === null && draft.resolution === null
        ? t('levels.noTarget')
        : undefined,
  }
}
