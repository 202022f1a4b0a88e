import { useQueries, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client'
import { keys } from '../../api/keys'
import { rulesOptions, useChannels, useSectors } from '../../api/queries'
import type { AttendanceRules, Channel, Holiday, Sector } from '../../api/types'

const hoursOptions = {
  queryKey: keys.hours,
  queryFn: () => answer(api.GET('/hours')).then((page) => page.data),
}

/** useHours are the company's opening hours. */
export const useHours = () => useQuery(hoursOptions)

/** useStoredHours asks the server for the company's opening hours before it has any: what is edited is what is stored now. */
export function useStoredHours() {
  const stored = useQuery({ ...hoursOptions, refetchOnMount: 'always' })
  const fetched = stored.isFetchedAfterMount
  return {
    ...stored,
    data: fetched ? stored.data : undefined,
    isPending: stored.isPending || !fetched,
  }
}

/** useRules are the rules for attendances, which name the company's opening hours. */
export const useRules = () => useQuery(rulesOptions)

/** useHoursStatus tells whether opening hours are open now; it is asked for again every minute. */
export const useHoursStatus = (id: string) =>
  useQuery({
    queryKey: keys.hoursStatus(id),
    staleTime: 0,
    refetchInterval: 60_000,
    queryFn: () =>
      answer(api.GET('/hours/{id}/status', { params: { path: { id } } })),
  })

const holidaysOptions = (year: number) => ({
  queryKey: keys.holidays(year),
  queryFn: () =>
    answer(api.GET('/hours/holidays', { params: { query: { year } } })).then(
      (page) => page.data,
    ),
})

/** useHolidays are the holidays of Brazil in a year. */
export const useHolidays = (year: number) => useQuery(holidaysOptions(year))

/** useHolidaysOf are the holidays of Brazil in some years, as far as they are known. */
export const useHolidaysOf = (years: number[]): Holiday[] =>
  useQueries({
    queries: years.map(holidaysOptions),
    combine: (all) => all.flatMap((one) => one.data ?? []),
  })

/** Uses are the places that name opening hours. */
export type Uses = { company: boolean; channels: Channel[]; sectors: Sector[] }

/** usesOf finds the places that name opening hours. */
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

/** useUses finds the places that name opening hours, of those that the person sees. */
export function useUses(): (id: string) => Uses {
  const rules = useRules().data
  const channels = useChannels().data
  const sectors = useSectors().data
  return (id) => usesOf(id, rules, channels, sectors)
}
