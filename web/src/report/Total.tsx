import { useId, type ReactNode } from 'react'
import { CaseLink } from './CaseLink'
import type { CaseSearch } from './cases'
import classes from './Report.module.css'

/** Total shows one figure of the whole period, the change since the period before, and a line around it. */
export function Total({
  name,
  value,
  cases,
  change,
  children,
}: {
  name: string
  value: string
  cases?: CaseSearch
  change?: string
  children?: ReactNode
}) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className={classes.total}>
      <span id={id} className={classes.name}>
        {name}
      </span>
      <strong>
        <CaseLink search={cases}>{value}</CaseLink>
      </strong>
      {change && <span className={classes.around}>{change}</span>}
      {children && <span className={classes.around}>{children}</span>}
    </div>
  )
}
