import { useQueries, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { rulesOptions, useChannels, useSectors } from '../../api/queries'
import type { AttendanceRules, Channel, Holiday, Sector } from '../../api/types'

const hoursOptions = {
  queryKey: keys.hours,
  queryFn: () => unwrap(api.GET('/hours')).then((page) => page.data),
}

/** useHours returns the company's opening hours. */
export const useHours = () => useQuery(hoursOptions)

/** useStoredHours refetches the opening hours before returning any, so that the current version is edited. */
export function useStoredHours() {
  const stored = useQuery({ ...hoursOptions, refetchOnMount: 'always' })
  const fetched = stored.isFetchedAfterMount
  return {
    ...stored,
    data: fetched ? stored.data : undefined,
    isPending: stored.isPending || !fetched,
  }
}

/** useRules returns the rules for cases, which include the company's opening hours. */
export const useRules = () => useQuery(rulesOptions)

/** useHoursStatus returns whether opening hours are open now, polled every minute. */
export const useHoursStatus = (id: string) =>
  useQuery({
    queryKey: keys.hoursStatus(id),
    staleTime: 0,
    refetchInterval: 60_000,
    queryFn: () =>
      unwrap(api.GET('/hours/{id}/status', { params: { path: { id } } })),
  })

const holidaysOptions = (year: number) => ({
  queryKey: keys.holidays(year),
  queryFn: () =>
    unwrap(api.GET('/hours/holidays', { params: { query: { year } } })).then(
      (page) => page.data,
    ),
})

/** useHolidays returns the Brazilian holidays of a year. */
export const useHolidays = (year: number) => useQuery(holidaysOptions(year))

/** useHolidaysOf returns the Brazilian holidays of several years, as far as they are loaded. */
export const useHolidaysOf = (years: number[]): Holiday[] =>
  useQueries({
    queries: years.map(holidaysOptions),
    combine: (all) => all.flatMap((one) => one.data ?? []),
  })

/** Uses are the places that use opening hours. */
export type Uses = { company: boolean; channels: Channel[]; sectors: Sector[] }

/** usesOf returns the places that use opening hours. */
export const usesOf = (
  id: string,
  rules?: AttendanceRules,
  channels: Channel[] = [],
  sectors: Sector[] = [],
): Uses => ({
  company: rules?.hours_id === id,
  channels: channels.filter((one) => one.hours_id === id),
  sectors: sectors.filter((one) => one.hours_id === id),
})

/** useUses returns the places that use opening hours and that the user can see. */
export function useUses(): (id: string) => Uses {
  const rules = useRules().data
  const channels = useChannels().data
  const sectors = useSectors().data
  return (id) => usesOf(id, rules, channels, sectors)
}
