import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../api/Confirm'

/** LeaveDialog asks before the page is left while it has changes that are not saved. */
export function LeaveDialog({ active }: { active: boolean }) {
  const { t } = useTranslation()
  const blocker = useBlocker({
    shouldBlockFn: () => active,
    enableBeforeUnload: active,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Confirm
      title={t('reception.leaveTitle')}
      text={t('reception.leaveText')}
      action={t('reception.leave')}
      onClose={blocker.reset}
      task={async () => blocker.proceed()}
    />
  )
}
