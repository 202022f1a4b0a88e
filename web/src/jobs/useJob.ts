import {
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Job } from './job'

const pause = 1000

/** putJob stores a job that a request returned, so that useJob has it at once. */
export function putJob(client: QueryClient, job: Job): void {
  client.setQueryData(keys.job(job.id), job)
  void client.invalidateQueries({ queryKey: keys.jobLists })
}

/**
 * useJob returns a job and asks for it every second while it is running. onEnd is called once when the job ends while the component is
 * shown, also if it had ended before the first answer.
 */
export function useJob(id: string | null, onEnd?: (job: Job) => void) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: keys.job(id ?? ''),
    enabled: id !== null,
    staleTime: 0,
    queryFn: () =>
      unwrap(api.GET('/jobs/{id}', { params: { path: { id: id ?? '' } } })),
    refetchInterval: ({ state }) =>
      state.data?.status === 'running' ? pause : false,
  })
  const job = id === null ? undefined : query.data
  const ended = useRef<string | null>(null)
  useEffect(() => {
    if (!job || job.status === 'running' || ended.current === job.id) return
    ended.current = job.id
    void client.invalidateQueries({ queryKey: keys.jobLists })
    onEnd?.(job)
  }, [job, client, onEnd])
  return { ...query, data: job }
}
