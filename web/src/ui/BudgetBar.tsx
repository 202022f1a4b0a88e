import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { money } from './money'
import classes from './BudgetBar.module.css'

/** BudgetBar shows how much of the month's budget is spent, with a mark where it warns. */
export function BudgetBar({
  currency,
  spent,
  amount,
  warnAt,
  reached,
}: {
  currency: string
  spent: number
  amount: number
  warnAt: number
  reached: boolean
}) {
  const { t } = useTranslation()
  const id = useId()
  const percent =
    amount > 0 ? Math.min(100, (100 * spent) / amount) : reached ? 100 : 0
  const sum = t('costs.spentOf', {
    spent: money(spent, currency),
    budget: money(amount, currency),
  })
  return (
    <div className={classes.budget}>
      <div className={classes.words}>
        <span id={id}>{t('costs.spent')}</span>
        <strong>{sum}</strong>
      </div>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuenow={Math.round(percent)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={sum}
        className={classes.bar}
        data-tone={reached ? 'red' : percent >= warnAt ? 'amber' : undefined}
      >
        <span style={{ width: `${percent}%` }} />
        {percent < warnAt && warnAt < 100 && (
          <i aria-hidden style={{ insetInlineStart: `${warnAt}%` }} />
        )}
      </div>
    </div>
  )
}
