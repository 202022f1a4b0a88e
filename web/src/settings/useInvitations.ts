import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'

/** useInvitations are the invitations of the last 30 days. */
export const useInvitations = () =>
  useQuery({
    queryKey: keys.invitations,
    queryFn: () =>
      answer(api.GET('/team/invitations')).then((page) => page.data),
  })
