import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Contact, ContactQuery } from '../api/types'

const pageSize = 100

/** useContacts loads the list page by page. The previous rows stay while a new search is loading. */
export function useContacts(query: ContactQuery) {
  const list = useInfiniteQuery({
    queryKey: keys.contactList(query),
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/contacts', {
          params: { query: { ...query, limit: pageSize, offset: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.offset + pageSize : null),
    placeholderData: keepPreviousData,
  })
  const rows = useMemo(() => {
    const seen = new Set<string>() // adding a contact moves others to the next page
    return (list.data?.pages ?? [])
      .flatMap((page) => page.data)
      .filter((one) => !seen.has(one.id) && seen.add(one.id))
  }, [list.data])
  return { list, rows }
}

/** useContact returns one contact, from the list if it is loaded there. */
export function useContact(id: string, listed?: Contact) {
  return useQuery({
    queryKey: keys.contact(id),
    queryFn: () =>
      unwrap(api.GET('/contacts/{id}', { params: { path: { id } } })),
    placeholderData: listed,
    staleTime: 15_000, // there is no event for changes of contacts
  })
}
