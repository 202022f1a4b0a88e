import { useDebouncedCallback } from '@mantine/hooks'
import {
  IconAdjustmentsHorizontal,
  IconLayoutSidebarLeftExpand,
  IconPlus,
  IconSearch,
  IconX,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCounts, useHasPolicies } from '../../api/queries'
import type { ConversationQuery } from '../../api/types'
import { number } from '../../ui/format'
import { part } from '../../ui/parts'
import {
  IconButton,
  PlainButton,
  PlainSelect,
  SearchField,
} from '../../ui/plain'
import { useNarrow } from '../../ui/usePhone'
import { FilterChips } from './FilterChips'
import { protocolIn, protocolOptions } from './protocol'
import { useViews, viewCount } from './Views'
import { activeFilters, type Search } from './view'
import classes from './ListPane.module.css'

const Filters = part(() => import('./Filters').then((loaded) => loaded.Filters))

type Props = {
  view: string
  search: Search
  query: ConversationQuery
  selecting: boolean
  onSelecting: (on: boolean) => void
  onSearch: (change: Partial<Search>) => void
  onOpen: (id: string) => void
  onDown: () => void
  onNew: () => void
  onViews: (() => void) | undefined
}

/** ListHead is the search, filters and order above the list. It does not re-render when the list changes. */
export const ListHead = memo(function ListHead({
  view,
  search,
  query,
  selecting,
  onSelecting,
  onSearch,
  onOpen,
  onDown,
  onNew,
  onViews,
}: Props) {
  const { t } = useTranslation()
  const name = useViews().find((one) => one.id === view)?.name
  const narrow = useNarrow()
  const measured = useHasPolicies()
  const order = query.sort ?? 'newest'
  const [text, setText] = useState(search.q ?? '')
  const [filters, setFilters] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const filterBox = useRef<HTMLDivElement>(null)
  const filterButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!filters) return
    const press = ({ target }: Event) =>
      target instanceof Node &&
      !filterBox.current?.contains(target) &&
      !filterButton.current?.contains(target) &&
      setFilters(false)
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setFilters(false)
      filterButton.current?.focus()
    }
    addEventListener('pointerdown', press)
    addEventListener('keydown', escape, true)
    return () => {
      removeEventListener('pointerdown', press)
      removeEventListener('keydown', escape, true)
    }
  }, [filters])
  const apply = useDebouncedCallback(
    (q: string) => onSearch({ q: q.trim() || undefined }),
    250,
  )
  const client = useQueryClient()
  const clear = () => {
    setText('')
    apply.cancel()
    onSearch({ q: undefined })
    field.current?.focus()
  }
  /** enter opens the case whose protocol number was typed. */
  const enter = () => {
    const protocol = protocolIn(text)
    if (protocol)
      void client.fetchQuery(protocolOptions(protocol)).then(
        (found) => found && onOpen(found.conversation),
        () => undefined,
      )
  }
  useEffect(() => {
    setText((before) =>
      before.trim() === (search.q ?? '') ? before : (search.q ?? ''),
    )
  }, [search.q])
  return (
    <header className={classes.head}>
      {(narrow || onViews) && (
        <h1 className="visually-hidden">{t('inbox.title')}</h1>
      )}
      <div className={classes.bar}>
        {onViews && (
          <IconButton
            look="quiet"
            aria-label={t('inbox.showViews')}
            title={t('inbox.showViews')}
            onClick={onViews}
          >
            <IconLayoutSidebarLeftExpand size={18} />
          </IconButton>
        )}
        <div className={classes.search}>
          <SearchField
            ref={field}
            aria-label={t('list.search')}
            placeholder={t('list.search')}
            icon={<IconSearch size={16} />}
            value={text}
            id="conversation-search"
            onChange={(event) => {
              setText(event.currentTarget.value)
              apply(event.currentTarget.value)
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') enter()
              if (event.key === 'ArrowDown') {
                event.preventDefault()
                onDown()
              }
              if (event.key !== 'Escape') return
              if (text) clear()
              else event.currentTarget.blur()
            }}
          />
          {text && (
            <button
              type="button"
              className={classes.clear}
              aria-label={t('list.clearSearch')}
              title={t('list.clearSearch')}
              onClick={clear}
            >
              <IconX size={15} />
            </button>
          )}
        </div>
        <IconButton
          ref={filterButton}
          look={activeFilters(search) > 0 ? 'light' : 'default'}
          aria-label={t('list.filters')}
          title={t('list.filters')}
          aria-haspopup="dialog"
          aria-expanded={filters}
          onClick={() => setFilters(!filters)}
        >
          <IconAdjustmentsHorizontal size={18} />
        </IconButton>
        <IconButton
          aria-label={t('list.new')}
          title={t('list.new')}
          onClick={onNew}
        >
          <IconPlus size={18} />
        </IconButton>
      </div>
      {filters && (
        <div
          ref={filterBox}
          role="dialog"
          aria-label={t('list.filters')}
          className={classes.filters}
        >
          <Suspense fallback={null}>
            <Filters
              search={search}
              query={query}
              onSearch={onSearch}
              onClose={() => setFilters(false)}
            />
          </Suspense>
        </div>
      )}
      <FilterChips search={search} onSearch={onSearch} />
      <div className={classes.sub}>
        {narrow || onViews ? (
          <ViewSelect view={view} />
        ) : (
          <span className={classes.only}>
            {search.q ? t('list.results') : (name ?? t('list.conversations'))}
          </span>
        )}
        <PlainButton
          look="quiet"
          size="compact"
          aria-pressed={selecting}
          onClick={() => onSelecting(!selecting)}
        >
          {t('list.selectMode')}
        </PlainButton>
        {!search.q && (
          <PlainSelect
            aria-label={t('list.sort')}
            value={order}
            onChange={(event) =>
              onSearch({ sort: event.currentTarget.value as Search['sort'] })
            }
          >
            <option value="newest">{t('list.newest')}</option>
            <option value="oldest_waiting">{t('list.oldestWaiting')}</option>
            {(measured || order === 'sla_due') && (
              <option value="sla_due">{t('list.slaDue')}</option>
            )}
          </PlainSelect>
        )}
      </div>
    </header>
  )
})

/** ViewSelect selects the view on narrow screens. */
function ViewSelect({ view }: { view: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const views = useViews()
  const counts = useCounts().data
  const label = (id: string, name: string) => {
    const count = viewCount(id, counts)
    return count > 0 ? `${name}, ${number(count)}` : name
  }
  return (
    <PlainSelect
      framed
      className={classes.views}
      aria-label={t('inbox.views')}
      value={view}
      onChange={(event) =>
        void navigate({
          to: '/inbox/$view',
          params: { view: event.currentTarget.value },
        })
      }
    >
      {views.map(({ id, name }) => (
        <option key={id} value={id}>
          {label(id, name)}
        </option>
      ))}
    </PlainSelect>
  )
}
