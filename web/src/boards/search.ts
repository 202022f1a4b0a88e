import type { CardQuery } from '../api/types'
import { fieldParameters, readFieldFilter } from '../fields/filter'

/** BoardSearch is the search part of a board's URL: filters, the open card and, on a phone, the stage. */
export type BoardSearch = {
  q?: string
  person?: string
  label?: string
  priority?: CardQuery['priority']
  due?: CardQuery['due']
  field?: string
  value?: string
  card?: string
  stage?: string
}

export const priorities = ['low', 'medium', 'high', 'urgent'] as const
export const dues = ['overdue', 'today', 'week', 'none'] as const

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** readBoardSearch returns the valid search parameters and drops the others. */
export function readBoardSearch(raw: Record<string, unknown>): BoardSearch {
  return {
    q: raw.q === undefined ? undefined : text(String(raw.q))?.slice(0, 100),
    person: text(raw.person),
    label: text(raw.label),
    priority: priorities.find((one) => one === raw.priority),
    due: dues.find((one) => one === raw.due),
    ...readFieldFilter(raw),
    card: text(raw.card),
    stage: text(raw.stage),
  }
}

/** filtersOf returns the query parameters besides board and stage. */
export function filtersOf(search: BoardSearch): CardQuery {
  const all: CardQuery = {
    q: search.q,
    assignee: search.person,
    label: search.label,
    priority: search.priority,
    due: search.due,
    ...fieldParameters(search),
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  )
}
