import type { Attendance } from '../api/types'
import { days, fitting, id, shift } from './period'

/** CaseSearch is the search part of the URL of a list of cases: what happened when, and with whom. None means "without one". */
export type CaseSearch = {
  on?: On
  from?: string
  to?: string
  user?: string
  sector?: string
  channel?: string
  label?: string
  reason?: string
  rating?: Rating
  survey?: SurveyStatus
  sla?: Level
}

export const moments = ['opened', 'answered', 'closed'] as const
export type On = (typeof moments)[number]

export const ratings = ['1', '2', '3', '4', '5', 'low', 'high'] as const
export type Rating = (typeof ratings)[number]

export const surveys = [
  'none',
  'sent',
  'answered',
  'expired',
  'skipped',
] as const
export type SurveyStatus = (typeof surveys)[number]

export const levels = ['met', 'warned', 'breached'] as const
export type Level = (typeof levels)[number]

/** none is the value of the filters for cases without a person, department or reason. */
export const none = 'none'

const idOrNone = new RegExp(`${id.source}|^${none}$`)

/** readCaseSearch returns the valid search parameters and drops the others. */
export function readCaseSearch(search: Record<string, unknown>): CaseSearch {
  const one = <T extends string>(name: string, all: readonly T[]) => {
    const found = all.find((value) => value === String(search[name]))
    return found === undefined ? {} : { [name]: found }
  }
  return {
    ...one('on', moments),
    ...days(search),
    ...fitting(search, 'user', idOrNone),
    ...fitting(search, 'sector', idOrNone),
    ...fitting(search, 'channel', id),
    ...fitting(search, 'label', id),
    ...fitting(search, 'reason', idOrNone),
    ...one('rating', ratings),
    ...one('survey', surveys),
    ...one('sla', levels),
  }
}

/** caseQuery returns the API's filters for a list. In the API the last day is exclusive. */
export function caseQuery({ to, ...search }: CaseSearch) {
  return { ...search, ...(to ? { to: shift(to, 1) } : {}) }
}

type Sla = Attendance['sla']
type State = NonNullable<NonNullable<Sla>['first']>['state']

const order: State[] = ['met', 'pending', 'warned', 'breached']

/** worst returns the worst state of the targets of a case, or null if it has none. */
export function worst(sla: Sla): State | null {
  const states = [sla?.first, sla?.next, sla?.resolution].flatMap((one) =>
    one ? [order.indexOf(one.state)] : [],
  )
  return order[Math.max(-1, ...states)] ?? null
}

/** isPrivate reports whether a case belongs to a private number, whose protocols have a series of their own. */
export const isPrivate = ({ protocol }: Pick<Attendance, 'protocol'>) =>
  protocol.startsWith('ATD-P')
