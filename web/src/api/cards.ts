import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { keys } from './keys'
import type { Card, CardQuery } from './types'

export type CardPage = { data: Card[]; next_cursor?: string | null }
type Column = InfiniteData<CardPage, string | null>

/** cardMatches reports whether a card belongs to a column. Filters by text, due date and custom field are evaluated only by the server. */
export function cardMatches(
  card: Card,
  query: CardQuery,
  me: string,
): boolean | null {
  if (card.stage_id !== query.stage_id || card.status !== query.status)
    return false
  if (query.priority && card.priority !== query.priority) return false
  if (query.label && !card.label_ids.includes(query.label)) return false
  if (query.assignee === 'none' && card.assignee !== null) return false
  if (
    query.assignee &&
    query.assignee !== 'none' &&
    card.assignee !== (query.assignee === 'me' ? me : query.assignee)
  )
    return false
  return query.q ||
    query.due ||
    Object.keys(query).some((name) => name.startsWith('field.'))
    ? null
    : true
}

/** withoutCard returns a column without a card. */
const withoutCard = (column: Column, id: string): Column => ({
  ...column,
  pages: column.pages.map((page) => ({
    ...page,
    data: page.data.filter((one) => one.id !== id),
  })),
})

/** withCard inserts a card at its position among the loaded ones. before is the id of the next card, for when the position is not known yet. */
export function withCard(
  column: Column,
  card: Card,
  before?: string | null,
): Column {
  const rest = withoutCard(column, card.id)
  const follows = (one: Card) =>
    before === undefined ? one.position > card.position : one.id === before
  for (const [index, page] of rest.pages.entries()) {
    const at = page.data.findIndex(follows)
    if (at >= 0)
      return {
        ...rest,
        pages: rest.pages.map((one, other) =>
          other === index
            ? {
                ...one,
                data: [...one.data.slice(0, at), card, ...one.data.slice(at)],
              }
            : one,
        ),
      }
  }
  const last = rest.pages.length - 1
  if (rest.pages[last]?.next_cursor) return rest // its position is on a page that is not loaded
  return {
    ...rest,
    pages: rest.pages.map((page, index) =>
      index === last ? { ...page, data: [...page.data, card] } : page,
    ),
  }
}

/** putCard updates a card in all columns of its board. See withCard for before. */
export function putCard(
  client: QueryClient,
  card: Card,
  me: string,
  before?: string | null,
): void {
  const known = client.getQueryData<Card>(keys.card(card.id))
  if (known && known.version > card.version) return // an older response arrived after a live update
  client.setQueryData(keys.card(card.id), card)
  for (const query of client
    .getQueryCache()
    .findAll({ queryKey: keys.columns(card.board_id) })) {
    const belongs = cardMatches(card, query.queryKey[2] as CardQuery, me)
    client.setQueryData<Column>(query.queryKey, (column) => {
      if (!column) return column
      const shown = column.pages.some((page) =>
        page.data.some((one) => one.id === card.id),
      )
      if (belongs || (belongs === null && shown))
        return withCard(column, card, before)
      return shown ? withoutCard(column, card.id) : column
    })
    if (belongs === null)
      void client.invalidateQueries({ queryKey: query.queryKey })
  }
}

/** dropCard removes a deleted card. */
export function dropCard(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: keys.card(id) })
  client.setQueriesData<Column>({ queryKey: keys.allColumns }, (column) =>
    column ? withoutCard(column, id) : column,
  )
}

/** refreshBoard refetches the visible parts of a board. */
export function refreshBoard(client: QueryClient, board: string): void {
  for (const queryKey of [
    keys.columns(board),
    keys.boardCounts(board),
    keys.archivedCards(board),
  ])
    void client.invalidateQueries({ queryKey })
}
