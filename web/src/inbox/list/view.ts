import type { ConversationQuery, SavedView } from '../../api/types'

export const fixedViews = [
  'waiting',
  'mine',
  'at_risk',
  'open',
  'unread',
  'snoozed',
  'closed',
] as const
export type FixedView = (typeof fixedViews)[number]

/** The page sizes of a list: the first page fills a screen, the others are larger. */
export const firstPageSize = 40
export const pageSize = 100

/** The orders of a list. */
export const sorts = ['newest', 'oldest_waiting', 'sla_due'] as const
export type Sort = (typeof sorts)[number]

/** Search is the search part of the inbox URL. */
export type Search = {
  q?: string
  channel?: string
  sector?: string
  person?: string
  label?: string
  kind?: 'direct' | 'group'
  sort?: Sort
  message?: string
  details?: boolean
}

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** readSearch returns the valid search parameters and drops the others. */
export function readSearch(raw: Record<string, unknown>): Search {
  return {
    q: raw.q === undefined ? undefined : text(String(raw.q)),
    channel: text(raw.channel),
    sector: text(raw.sector),
    person: text(raw.person),
    label: text(raw.label),
    kind: raw.kind === 'direct' || raw.kind === 'group' ? raw.kind : undefined,
    sort: sorts.find((one) => one === raw.sort),
    message: text(raw.message),
    details: raw.details === true ? true : undefined,
  }
}

const fixed: Record<FixedView, ConversationQuery> = {
  waiting: { status: 'waiting' },
  mine: { status: 'open', assignee: 'me' },
  at_risk: { status: 'open', sla: 'at_risk' },
  open: { status: 'open' },
  unread: { unread: 'true' },
  snoozed: { snoozed: 'true' },
  closed: { status: 'closed', archived: 'false' },
}

/** isFixed reports whether a view is one of the built-in ones. */
export const isFixed = (view: string): view is FixedView =>
  fixedViews.includes(view as FixedView)

/** queryOf returns the query parameters of a view. Text searches cover all conversations. */
export function queryOf(
  view: string,
  search: Search,
  saved: SavedView[] | undefined,
): ConversationQuery {
  const filters: ConversationQuery = {
    channel: search.channel,
    sector: search.sector,
    assignee: search.person,
    label: search.label,
    kind: search.kind,
  }
  let base: ConversationQuery
  if (search.q) base = { q: search.q }
  else if (isFixed(view)) base = fixed[view]
  else if (view.startsWith('sector-'))
    base = { status: 'open', sector: view.slice('sector-'.length) }
  else
    base = asParameters(
      saved?.find((one) => `view-${one.id}` === view)?.query ?? {
        status: 'open',
      },
    )
  const query: ConversationQuery = {
    ...base,
    sort: search.sort ?? base.sort ?? defaultSort(view),
    ...Object.fromEntries(
      Object.entries(filters).filter(([, value]) => value !== undefined),
    ),
  }
  if (query.sort === 'newest' || search.q) delete query.sort
  return query
}

/** asParameters converts the filters of a saved view to query parameters; flags may be stored as booleans. */
function asParameters(query: SavedView['query']): ConversationQuery {
  const flag = (value: boolean | 'true' | 'false' | '1' | '0' | undefined) =>
    value === undefined
      ? undefined
      : value === true || value === 'true' || value === '1'
        ? 'true'
        : 'false'
  return {
    ...query,
    archived: flag(query.archived),
    unread: flag(query.unread),
    snoozed: flag(query.snoozed),
  }
}

/** noFilters removes the search and all filters. */
export const noFilters: Partial<Search> = {
  q: undefined,
  channel: undefined,
  sector: undefined,
  person: undefined,
  label: undefined,
  kind: undefined,
}

/** activeFilters returns the number of active filters. */
export const activeFilters = ({
  channel,
  sector,
  person,
  label,
  kind,
}: Search) => [channel, sector, person, label, kind].filter(Boolean).length

/** defaultSort returns the default order of a view: queues show the longest wait first. */
export const defaultSort = (view: string): Sort =>
  view === 'waiting'
    ? 'oldest_waiting'
    : view === 'at_risk'
      ? 'sla_due'
      : 'newest'
