import { useDebouncedCallback } from '@mantine/hooks'
import {
  IconAdjustmentsHorizontal,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCounts } from '../../api/queries'
import type { ConversationQuery } from '../../api/types'
import { number } from '../../ui/format'
import { part } from '../../ui/parts'
import { IconButton, PlainSelect, SearchField } from '../../ui/plain'
import { useNarrow } from '../../ui/usePhone'
import { protocolIn, protocolOptions } from './protocol'
import { useViews, viewCount } from './Views'
import { activeFilters, defaultSort, type Search } from './view'
import classes from './ListPane.module.css'

const Filters = part(() => import('./Filters').then((loaded) => loaded.Filters))

type Props = {
  view: string
  search: Search
  query: ConversationQuery
  onSearch: (change: Partial<Search>) => void
  onOpen: (id: string) => void
  onNew: () => void
}

/** ListHead is the search, filters and order above the list. It does not re-render when the list changes. */
export const ListHead = memo(function ListHead({
  view,
  search,
  query,
  onSearch,
  onOpen,
  onNew,
}: Props) {
  const { t } = useTranslation()
  const name = useViews().find((one) => one.id === view)?.name
  const narrow = useNarrow()
  const [text, setText] = useState(search.q ?? '')
  const [filters, setFilters] = useState(false)
  const apply = useDebouncedCallback(
    (q: string) => onSearch({ q: q.trim() || undefined }),
    250,
  )
  const client = useQueryClient()
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
      <h1 className={`visually-hidden ${classes.title}`}>{t('inbox.title')}</h1>
      <div className={classes.bar}>
        <SearchField
          className={classes.search}
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
            if (event.key !== 'Escape') return
            if (!text) return event.currentTarget.blur()
            setText('')
            onSearch({ q: undefined })
          }}
        />
        <IconButton
          look={activeFilters(search) > 0 ? 'light' : 'default'}
          aria-label={t('list.filters')}
          title={t('list.filters')}
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
        <Suspense fallback={null}>
          <Filters search={search} query={query} onSearch={onSearch} />
        </Suspense>
      )}
      <div className={classes.sub}>
        {narrow ? (
          <ViewSelect view={view} />
        ) : (
          <span className={classes.only}>
            {search.q ? t('list.results') : (name ?? t('list.conversations'))}
          </span>
        )}
        <PlainSelect
          aria-label={t('list.sort')}
          value={search.sort ?? defaultSort(view)}
          disabled={!!search.q}
          onChange={(event) =>
            onSearch({ sort: event.currentTarget.value as Search['sort'] })
          }
        >
          <option value="newest">{t('list.newest')}</option>
          <option value="oldest_waiting">{t('list.oldestWaiting')}</option>
        </PlainSelect>
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
