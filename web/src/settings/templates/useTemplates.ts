import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { isReviewed } from './templateText'

/** While Meta reviews a template, the list is fetched again: settings are not part of the live stream. */
const reviewing = 5000

/** After a sync was requested the list is polled; the server fetches the templates in the background. */
const syncing = 1000

type Options = { q?: string; status?: string; synced?: boolean }

/** useTemplates returns the templates of a number, page by page. */
export const useTemplates = (
  channel: string,
  { q = '', status = '', synced = false }: Options = {},
) =>
  useInfiniteQuery({
    queryKey: keys.templateList(channel, q, status),
    initialPageParam: '',
    refetchOnMount: 'always',
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/channels/{id}/templates', {
          params: {
            path: { id: channel },
            query: {
              limit: 50,
              ...(q ? { q } : {}),
              ...(status ? { status } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => {
      if (synced) return syncing
      const all = state.data?.pages.flatMap((page) => page.data) ?? []
      return all.every(isReviewed) ? false : reviewing
    },
  })
