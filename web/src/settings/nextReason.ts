import type { DistributionStatus } from '../api/types'

/** nextReason returns why the next person gets the next case, or why no one does. */
export function nextReason({
  distribution,
  open,
  next,
  members,
}: DistributionStatus):
  | 'manual'
  | 'closed'
  | 'round_robin'
  | 'least_busy'
  | 'empty'
  | 'nobodyOnline'
  | 'allFull' {
  if (distribution.mode === 'manual') return 'manual'
  if (!open) return 'closed'
  if (next) return distribution.mode
  if (members.length === 0) return 'empty'
  return members.some((member) => member.reason === 'full')
    ? 'allFull'
    : 'nobodyOnline'
}
