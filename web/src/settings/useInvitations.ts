import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'

/** useInvitations returns the invitations of the last 30 days. */
export const useInvitations = () =>
  useQuery({
    queryKey: keys.invitations,
    queryFn: () =>
      unwrap(api.GET('/team/invitations')).then((page) => page.data),
  })
