import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Report.module.css'

const parts = [
  'days',
  'team',
  'satisfaction',
  'levels',
  'reasons',
  'channels',
  'labels',
  'hours',
] as const
type PartName = (typeof parts)[number]

/** Part is a part of the report that has a link at the top. */
export function Part({
  id,
  wide = false,
  children,
}: {
  id: PartName
  wide?: boolean
  children: ReactNode
}) {
  return (
    <div id={id} className={classes.part} data-wide={wide || undefined}>
      {children}
    </div>
  )
}

/** Parts links to the parts of the report. */
export function Parts() {
  const { t } = useTranslation()
  return (
    <nav
      aria-label={t('report.parts')}
      className={`${classes.parts} ${classes.control}`}
    >
      {parts.map((one) => (
        <Link key={one} to="." search hash={one}>
          {t(`report.part.${one}`)}
        </Link>
      ))}
    </nav>
  )
}
