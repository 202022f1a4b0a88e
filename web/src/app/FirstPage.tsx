import { Navigate } from '@tanstack/react-router'
import { useCounts, useMe } from '../api/queries'
import { Loading } from '../ui/states'

/** FirstPage is "Waiting", or "Mine" for agents with open cases. */
export function FirstPage() {
  const me = useMe()
  const counts = useCounts()
  if (me.user.role === 'agent' && counts.isPending) return <Loading />
  const view =
    me.user.role === 'agent' && (counts.data?.mine ?? 0) > 0
      ? 'mine'
      : 'waiting'
  return <Navigate to="/inbox/$view" params={{ view }} replace />
}
