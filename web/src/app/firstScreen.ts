import type { ConversationQuery } from '../api/types'
import { firstPageSize, queryOf } from '../inbox/list/view'

type Screen = {
  inbox: boolean
  list: ConversationQuery | null
  conversation: string | null
}

/** screenAt returns what the screen at a path shows first, or nothing for filtered lists and saved views, whose query is not in the path. */
export function screenAt(path: string, search: string): Screen {
  const found = /^\/(?:inbox(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(path)
  if (!found) return { inbox: false, list: null, conversation: null }
  const [, view = 'waiting', conversation] = found
  const known = search === '' && !view.startsWith('view-')
  return {
    inbox: true,
    list: known ? queryOf(view, {}, undefined) : null,
    conversation: known && conversation ? conversation : null,
  }
}

/** firstPaths returns the API paths that a screen requests immediately, in the order of the first paint. */
export function firstPaths({ inbox, list, conversation }: Screen): string[] {
  return [
    '/session',
    ...(list
      ? [
          `/conversations?${new URLSearchParams({ ...list, limit: String(firstPageSize) }).toString()}`,
        ]
      : []),
    ...(conversation
      ? [
          `/conversations/${conversation}`,
          `/conversations/${conversation}/timeline?limit=50`,
        ]
      : []),
    '/me/preferences',
    '/inbox/counts',
    ...(inbox ? ['/sectors', '/team', '/labels', '/views'] : []),
  ]
}
