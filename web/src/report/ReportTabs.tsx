import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Period } from './period'
import classes from './Report.module.css'

const tabs = [
  { name: 'cases', to: '/report' },
  { name: 'costs', to: '/report/costs' },
] as const

/** ReportTabs links the reports with each other. The period that was chosen goes with it. */
export function ReportTabs({ period }: { period: Partial<Period> }) {
  const { t } = useTranslation()
  return (
    <nav
      aria-label={t('report.tabs.label')}
      className={`${classes.tabs} ${classes.control}`}
    >
      {tabs.map(({ name, to }) => (
        <Link
          key={name}
          to={to}
          search={period}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {t(`report.tabs.${name}`)}
        </Link>
      ))}
    </nav>
  )
}
