import { CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBudget } from '../api/budget'
import { useMe } from '../api/queries'
import { dayKey } from '../ui/format'
import { personal } from '../ui/page'
import classes from './Shell.module.css'

/** BudgetBanner tells those who manage the company that the budget is reached. Who dismisses it sees it again next month, or after another budget. */
export default function BudgetBanner() {
  const { t } = useTranslation()
  const { user } = useMe()
  const budget = useBudget()
  const key = personal('budget', user.id)
  const now = `${dayKey(new Date()).slice(0, 7)} ${budget?.monthly_amount}`
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(key))
  if (!budget?.reached || dismissed === now) return null
  return (
    <div role="status" className={classes.banner}>
      <span>
        {t('costs.banner')}{' '}
        <Link to="/report/costs" className={classes.bannerLink}>
          {t('costs.see')}
        </Link>
      </span>
      <CloseButton
        size="sm"
        className={classes.bannerLink}
        aria-label={t('common.dismiss')}
        onClick={() => {
          localStorage.setItem(key, now)
          setDismissed(now)
        }}
      />
    </div>
  )
}
