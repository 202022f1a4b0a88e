import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { keys } from './keys'
import { useMe } from './queries'

/** The spent amount changes with every message, so that it is fetched again when someone looks. */
export const budgetOptions = queryOptions({
  queryKey: keys.budget,
  staleTime: 60_000,
  refetchOnWindowFocus: true,
  queryFn: () => unwrap(api.GET('/company/budget')),
})

export const ratesOptions = queryOptions({
  queryKey: keys.rates,
  queryFn: () => unwrap(api.GET('/company/rates')),
})

/** useBudget returns the company's budget, or undefined until it is loaded and for those who can't manage it. */
export function useBudget() {
  const enabled = useMe().scopes.includes('company:manage')
  return useQuery({ ...budgetOptions, enabled }).data
}
