import { IconLayoutSidebarLeftCollapse } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, Suspense, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Counts, SavedView } from '../../api/types'
import {
  useCounts,
  useHasPolicies,
  useMe,
  useSavedViews,
  useSectors,
} from '../../api/queries'
import { colourOf } from '../../ui/Avatar'
import { number } from '../../ui/format'
import { part } from '../../ui/parts'
import { IconButton } from '../../ui/plain'
import classes from './Views.module.css'
import { fixedViews, isFixed } from './view'

const ViewTools = part(() =>
  import('./ViewTools').then((loaded) => loaded.ViewTools),
)

export type ViewEntry = {
  id: string
  name: string
  group: 'views' | 'sectors' | 'saved'
  colour?: number
  saved?: SavedView
}

/** useViews returns the user's views. "At risk" is one of them if the company has service levels. The list is stable until one changes. */
export function useViews(): ViewEntry[] {
  const { t } = useTranslation()
  const { sectors: own } = useMe().user
  const sectors = useSectors().data
  const saved = useSavedViews().data
  const measured = useHasPolicies()
  return useMemo(() => {
    const mine = own.length > 0 ? own : (sectors ?? [])
    return [
      ...fixedViews
        .filter((id) => measured || id !== 'at_risk')
        .map((id): ViewEntry => ({
          id,
          name: t(`view.${id}`),
          group: 'views',
        })),
      ...mine.map((sector): ViewEntry => ({
        id: `sector-${sector.id}`,
        name: sector.name,
        group: 'sectors',
        colour: colourOf(sector.id),
      })),
      ...(saved ?? []).map((view): ViewEntry => ({
        id: `view-${view.id}`,
        name: view.name,
        group: 'saved',
        saved: view,
      })),
    ]
  }, [t, own, sectors, saved, measured])
}

/** viewCount returns the number of conversations in a view; "Closed" has no count. */
export function viewCount(id: string, counts: Counts | undefined): number {
  if (!counts) return 0
  if (isFixed(id))
    return {
      waiting: counts.unassigned,
      mine: counts.mine,
      at_risk: counts.at_risk,
      open: counts.open,
      unread: counts.unread,
      snoozed: counts.snoozed,
      closed: 0,
    }[id]
  return (
    counts.sectors.find((one) => `sector-${one.id}` === id)?.waiting ??
    counts.views.find((one) => `view-${one.id}` === id)?.count ??
    0
  )
}

type Props = {
  view: string
  /** over reports whether the views are shown over the list; pressing outside of them hides them again. */
  over: boolean
  onHide: () => void
}

/** Views is the left column of the inbox. */
export const Views = memo(function Views({ view, over, onHide }: Props) {
  const { t } = useTranslation()
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!over) return
    const press = ({ target }: Event) =>
      target instanceof Node && !box.current?.contains(target) && onHide()
    addEventListener('pointerdown', press)
    return () => removeEventListener('pointerdown', press)
  }, [over, onHide])
  const views = useViews()
  const counts = useCounts().data
  const group = (name: ViewEntry['group'], title?: string) => {
    const entries = views.filter((entry) => entry.group === name)
    if (entries.length === 0) return null
    return (
      <>
        {title && <h2 className={classes.title}>{title}</h2>}
        <ul className={classes.group}>
          {entries.map((entry) => (
            <ViewItem
              key={entry.id}
              entry={entry}
              open={entry.id === view}
              count={viewCount(entry.id, counts)}
            />
          ))}
        </ul>
      </>
    )
  }
  return (
    <nav
      ref={box}
      aria-label={t('inbox.views')}
      className={classes.views}
      data-over={over || undefined}
      data-place="list"
    >
      <div className={classes.top}>
        <h1 className={classes.heading}>{t('inbox.title')}</h1>
        <IconButton
          look="quiet"
          aria-label={t('inbox.hideViews')}
          title={t('inbox.hideViews')}
          onClick={onHide}
        >
          <IconLayoutSidebarLeftCollapse size={18} />
        </IconButton>
      </div>
      {group('views')}
      {group('sectors', t('inbox.sectors'))}
      {group('saved', t('inbox.savedViews'))}
    </nav>
  )
})

/** The tones of the counts that somebody should see. */
const tones: Partial<Record<string, string>> = {
  waiting: 'amber',
  at_risk: 'red',
}

/** ViewItem is one view. Its accessible name includes the count unless it is 0. Counts change with nearly every message, so each item renders on its own. */
const ViewItem = memo(function ViewItem({
  entry,
  open,
  count,
}: {
  entry: ViewEntry
  open: boolean
  count: number
}) {
  const { user } = useMe()
  const { saved } = entry
  return (
    <li className={classes.item}>
      <Link
        to="/inbox/$view"
        params={{ view: entry.id }}
        className={classes.link}
        aria-current={open ? 'page' : undefined}
      >
        {entry.colour !== undefined && (
          <span className={classes.dot} data-colour={entry.colour} />
        )}
        <span className={classes.name}>
          {entry.name}
          {count > 0 && <span className="spoken">, {number(count)}</span>}
        </span>
        {count > 0 && (
          <span
            aria-hidden
            className={classes.count}
            data-tone={tones[entry.id]}
          >
            {number(count)}
          </span>
        )}
      </Link>
      {saved &&
        (saved.owner.id === user.id ||
          (saved.shared && user.role !== 'agent')) && (
          <Suspense fallback={null}>
            <ViewTools view={saved} open={open} />
          </Suspense>
        )}
    </li>
  )
})
