import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { keys } from './keys'
import type { Contact } from './types'

export type ContactPage = { data: Contact[]; offset: number; has_more: boolean }

/** putContact updates every cached copy of a contact. */
export function putContact(client: QueryClient, contact: Contact): void {
  client.setQueryData(keys.contact(contact.id), contact)
  client.setQueriesData<InfiniteData<ContactPage>>(
    { queryKey: keys.contactLists },
    (list) =>
      list
        ? {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              data: page.data.map((one) =>
                one.id === contact.id ? contact : one,
              ),
            })),
          }
        : list,
  )
}
