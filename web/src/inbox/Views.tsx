import { Link } from '@tanstack/react-router'
import { memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedView } from '../api/types'
import { useCounts, useMe, useSavedViews, useSectors } from '../api/queries'
import { colourOf } from '../ui/Avatar'
import { number } from '../ui/format'
import { part } from '../ui/parts'
import classes from './Views.module.css'
import { fixedViews } from './view'

const DeleteView = part(() => import('./DeleteView').then((loaded) => loaded.DeleteView))

export type ViewEntry = { id: string; name: string; count: number; group: 'views' | 'sectors' | 'saved'; colour?: number; saved?: SavedView }

/** useViews are all views of the person with their counts. */
export function useViews(): ViewEntry[] {
  const { t } = useTranslation()
  const me = useMe()
  const counts = useCounts().data
  const sectors = useSectors().data
  const saved = useSavedViews().data
  const of = { waiting: counts?.unassigned, mine: counts?.mine, open: counts?.open, unread: counts?.unread, snoozed: counts?.snoozed, closed: 0 }
  const mine = me.user.sectors.length > 0 ? me.user.sectors : (sectors ?? [])
  return [
    ...fixedViews.map((id): ViewEntry => ({ id, name: t(`view.${id}`), count: of[id] ?? 0, group: 'views' })),
    ...mine.map((sector): ViewEntry => ({
      id: `sector-${sector.id}`, name: sector.name, count: counts?.sectors.find((one) => one.id === sector.id)?.waiting ?? 0, group: 'sectors', colour: colourOf(sector.id),
    })),
    ...(saved ?? []).map((view): ViewEntry => ({ id: `view-${view.id}`, name: view.name, count: counts?.views?.find((one) => one.id === view.id)?.count ?? 0, group: 'saved', saved: view })),
  ]
}

/** viewLabel is the accessible name of a view: its name, and its count unless it is 0. */
export const viewLabel = (view: ViewEntry) => (view.count > 0 ? `${view.name}, ${number(view.count)}` : view.name)

/** Views is the left column of the inbox. */
export const Views = memo(function Views({ view }: { view: string }) {
  const { t } = useTranslation()
  const views = useViews()
  const me = useMe()
  const group = (name: ViewEntry['group'], title?: string) => {
    const entries = views.filter((entry) => entry.group === name)
    if (entries.length === 0) return null
    return (
      <>
        {title && <h2 className={classes.title}>{title}</h2>}
        <ul className={classes.group}>
          {entries.map((entry) => (
            <li key={entry.id} className={classes.item}>
              <Link to="/inbox/$view" params={{ view: entry.id }} className={classes.link} aria-current={entry.id === view ? 'page' : undefined}>
                {entry.colour !== undefined && <span className={classes.dot} data-colour={entry.colour} />}
                <span className={classes.name}>{entry.name}{entry.count > 0 && <span className="spoken">, {number(entry.count)}</span>}</span>
                {entry.count > 0 && <span aria-hidden className={classes.count} data-tone={entry.id === 'waiting' ? 'amber' : undefined}>{number(entry.count)}</span>}
              </Link>
              {entry.saved && (entry.saved.owner.id === me.user.id || (entry.saved.shared && me.user.role !== 'agent')) && (
                <Suspense fallback={null}><DeleteView view={entry.saved} open={entry.id === view} /></Suspense>
              )}
            </li>
          ))}
        </ul>
      </>
    )
  }
  return (
    <nav aria-label={t('inbox.views')} className={classes.views}>
      <h1 className={classes.heading}>{t('inbox.title')}</h1>
      {group('views')}
      {group('sectors', t('inbox.sectors'))}
      {group('saved', t('inbox.savedViews'))}
    </nav>
  )
})
