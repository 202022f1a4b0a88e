import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../api/Confirm'

/** LeaveDialog asks for confirmation before leaving a page with unsaved changes. */
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
