import { Link } from '@tanstack/react-router'
import { createContext, useContext, type ReactNode } from 'react'
import { useMe } from '../api/queries'
import type { CaseSearch } from './cases'
import classes from './Report.module.css'

/** CaseFilters provides the period and the filters of the report to its figures. */
export const CaseFilters = createContext<CaseSearch>({})

/** CaseLink links a figure to the cases behind it, filtered like the report. Without a search it is plain text. */
export function CaseLink({
  search,
  name,
  children,
}: {
  search: CaseSearch | null | undefined
  name?: string
  children: ReactNode
}) {
  const filters = useContext(CaseFilters)
  const may = useMe().scopes.includes('attendances:read')
  if (!search || !may) return children
  return (
    <Link
      to="/report/cases"
      search={{ ...filters, ...search }}
      className={classes.link}
      aria-label={name}
    >
      {children}
    </Link>
  )
}

/** useReportPeriod returns the report's period for the name of a file: 2026-11-01-2026-11-30. */
export function useReportPeriod(): string {
  const { from, to } = useContext(CaseFilters)
  return `${from ?? ''}-${to ?? ''}`
}
