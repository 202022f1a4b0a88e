import type { ConversationQuery, SavedView } from '../../api/types'

export const fixedViews = [
  'waiting',
  'mine',
  'open',
  'unread',
  'snoozed',
  'closed',
] as const
export type FixedView = (typeof fixedViews)[number]

/** How many conversations the first page of a list has, which fills a screen, and how many the others have. */
export const firstPageSize = 40
export const pageSize = 100

/** Search is what the address of the inbox holds beside the view and the conversation. */
export type Search = {
  q?: string
  channel?: string
  sector?: string
  person?: string
  label?: string
  kind?: 'direct' | 'group'
  sort?: 'newest' | 'oldest_waiting'
  message?: string
  details?: boolean
}

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** readSearch takes what is known from the address and leaves out the rest. */
export function readSearch(raw: Record<string, unknown>): Search {
  return {
    q: raw.q === undefined ? undefined : text(String(raw.q)),
    channel: text(raw.channel),
    sector: text(raw.sector),
    person: text(raw.person),
    label: text(raw.label),
    kind: raw.kind === 'direct' || raw.kind === 'group' ? raw.kind : undefined,
    sort:
      raw.sort === 'newest' || raw.sort === 'oldest_waiting'
        ? raw.sort
        : undefined,
    message: text(raw.message),
    details: raw.details === true ? true : undefined,
  }
}

const fixed: Record<FixedView, ConversationQuery> = {
  waiting: { status: 'waiting' },
  mine: { status: 'open', assignee: 'me' },
  open: { status: 'open' },
  unread: { unread: 'true' },
  snoozed: { snoozed: 'true' },
  closed: { status: 'closed', archived: 'false' },
}

/** isFixed tells the six views of everybody from those of sectors and saved ones. */
export const isFixed = (view: string): view is FixedView =>
  fixedViews.includes(view as FixedView)

/** queryOf is what the server is asked for a view. A text is searched in all conversations. */
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
    sort: search.sort ?? defaultSort(view),
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
  const query = {
    ...base,
    ...Object.fromEntries(
      Object.entries(filters).filter(([, value]) => value !== undefined),
    ),
  }
  if (query.sort === 'newest' || search.q) delete query.sort
  return query
}

/** asParameters writes the filters of a saved view as query parameters; a flag may be stored as a boolean. */
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

/** activeFilters is how many filters are set. */
export const activeFilters = ({
  channel,
  sector,
  person,
  label,
  kind,
}: Search) => [channel, sector, person, label, kind].filter(Boolean).length

/** defaultSort of a view: who waits longest stands first in queues. */
export const defaultSort = (view: string): 'newest' | 'oldest_waiting' =>
  view === 'waiting' ? 'oldest_waiting' : 'newest'
