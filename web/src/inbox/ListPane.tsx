import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconInbox, IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api, Failure as ApiFailure } from '../api/client'
import { keys } from '../api/keys'
import type { Conversation, ConversationQuery } from '../api/types'
import { Empty, Failure, Loading } from '../ui/states'
import { useCached } from '../ui/useCached'
import { ConversationList } from './ConversationList'
import { EmptyAction } from './EmptyAction'
import { refusal } from './refusal'
import { useConversations } from './useConversations'
import { useViews, viewLabel } from './Views'
import { defaultSort, type Search } from './view'
import classes from './ListPane.module.css'
import { part } from '../ui/parts'

const Filters = part(() => import('./Filters').then((loaded) => loaded.Filters))
const SelectionBar = part(() => import('./SelectionBar').then((loaded) => loaded.SelectionBar))
const MessageResults = part(() => import('./MessageResults').then((loaded) => loaded.MessageResults))

type Props = {
  view: string
  search: Search
  query: ConversationQuery
  open: string | undefined
  selection: ReadonlySet<string>
  setSelection: (ids: ReadonlySet<string>) => void
  onSelect: (id: string) => void
  onSearch: (change: Partial<Search>) => void
  onOpen: (id: string) => void
  onEnter: () => void
  onNew: () => void
  onShown: (rows: Conversation[]) => void
}

/** ListPane is the list of conversations with search, filters and order. */
export const ListPane = memo(function ListPane({ view, search, query, open, selection, setSelection, onSelect, onSearch, onOpen, onEnter, onNew, onShown }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const views = useViews()
  const { list, rows } = useConversations(query)
  const [text, setText] = useState(search.q ?? '')
  const [filters, setFilters] = useState(false)
  const [inMessages, setInMessages] = useState(false)
  const apply = useDebouncedCallback((q: string) => onSearch({ q: q.trim() || undefined }), 250)
  useEffect(() => {
    if (!search.q) setInMessages(false)
    setText((before) => (before.trim() === (search.q ?? '') ? before : (search.q ?? '')))
  }, [search.q])

  // The open conversation keeps its row though it no longer matches.
  const opened = useCached<Conversation>(keys.conversation(open ?? ''))
  const kept = opened && !search.q && list.isSuccess ? opened : undefined
  const shown = useMemo(() => (kept && !rows.some((one) => one.id === kept.id) ? keepRow(rows, kept) : rows), [kept, rows])
  const protocol = useProtocol(search.q)
  const active = [search.channel, search.sector, search.person, search.label, search.kind].filter(Boolean).length
  const current = views.find((one) => one.id === view)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const listKey = useMemo(() => JSON.stringify(query), [query])

  return (
    <section className={classes.pane} aria-label={t('list.pane')}>
      <header className={classes.head}>
        <h1 className={`visually-hidden ${classes.title}`}>{t('inbox.title')}</h1>
        <div className={classes.bar}>
          <TextInput
            className={classes.search} type="search" role="searchbox" aria-label={t('list.search')} placeholder={t('list.search')} variant="filled"
            leftSection={<IconSearch size={16} />} value={text} id="conversation-search"
            onChange={(event) => {
              setText(event.currentTarget.value)
              apply(event.currentTarget.value)
            }}
            onKeyDown={(event) => event.key === 'Escape' && (text ? (setText(''), onSearch({ q: undefined })) : event.currentTarget.blur())}
          />
          <ActionIcon size={36} variant={active > 0 ? 'light' : 'default'} aria-label={t('list.filters')} title={t('list.filters')} aria-expanded={filters} onClick={() => setFilters(!filters)}>
            <IconAdjustmentsHorizontal size={18} />
          </ActionIcon>
          <ActionIcon size={36} aria-label={t('list.new')} title={t('list.new')} onClick={onNew}>
            <IconPlus size={18} />
          </ActionIcon>
        </div>
        {filters && <Suspense fallback={null}><Filters search={search} query={query} onSearch={onSearch} /></Suspense>}
        <div className={classes.sub}>
          <span className={classes.only}>
            {search.q ? t('list.results') : (current?.name ?? t('list.conversations'))}
          </span>
          <NativeSelect
            className={classes.views} size="xs" aria-label={t('inbox.views')} value={view}
            data={views.map((one) => ({ value: one.id, label: viewLabel(one) }))}
            onChange={(event) => void navigate({ to: '/inbox/$view', params: { view: event.currentTarget.value } })}
          />
          <NativeSelect
            size="xs" variant="unstyled" aria-label={t('list.sort')} value={search.sort ?? defaultSort(view)} disabled={!!search.q}
            data={[{ value: 'newest', label: t('list.newest') }, { value: 'oldest_waiting', label: t('list.oldestWaiting') }]}
            onChange={(event) => onSearch({ sort: event.currentTarget.value as Search['sort'] })}
          />
        </div>
      </header>
      {selection.size > 0 && <Suspense fallback={null}><SelectionBar selection={selection} setSelection={setSelection} rows={rows} query={query} /></Suspense>}
      {search.q && (
        <div className={classes.found}>
          {protocol && (
            <Button variant="subtle" size="xs" onClick={() => onOpen(protocol.conversation)}>
              {t('list.openProtocol', { protocol: protocol.protocol })}
            </Button>
          )}
          <Button variant="subtle" size="xs" onClick={() => setInMessages(!inMessages)} aria-pressed={inMessages}>
            {t('list.searchMessages', { text: search.q })}
          </Button>
        </div>
      )}
      {inMessages && search.q ? (
        <Suspense fallback={null}><MessageResults text={search.q} /></Suspense>
      ) : list.isPending ? (
        <Loading rows={7} height={58} />
      ) : list.isError ? (
        <Failure message={refusal(list.error, t)} requestId={list.error instanceof ApiFailure ? list.error.requestId : undefined} onRetry={() => void list.refetch()} />
      ) : shown.length === 0 ? (
        <Empty icon={<IconInbox size={28} />} title={search.q ? t('list.nothingFound') : t(`empty.${current?.group === 'views' ? view : 'view'}`)}>
          {search.q || active > 0 ? (
            <Button variant="default" onClick={() => onSearch({ q: undefined, channel: undefined, sector: undefined, person: undefined, label: undefined, kind: undefined })}>{t('list.clear')}</Button>
          ) : (
            <EmptyAction onNew={onNew} />
          )}
        </Empty>
      ) : (
        <ConversationList rows={shown} list={listKey} open={open} selection={selection} onSelect={onSelect} onOpen={onOpen} onEnter={onEnter} onEnd={onEnd} onShown={onShown} />
      )}
    </section>
  )
})

/** keepRow puts a conversation that left the list at its old place by time. */
function keepRow(rows: Conversation[], kept: Conversation): Conversation[] {
  const time = kept.last_message?.created_at ?? kept.updated_at
  const at = rows.findIndex((one) => (one.last_message?.created_at ?? one.updated_at) < time)
  const place = at < 0 ? rows.length : at
  return [...rows.slice(0, place), kept, ...rows.slice(place)]
}

/** useProtocol finds the case of a protocol number that was typed into the search. */
function useProtocol(text: string | undefined) {
  const protocol = text && /^atd-p?\d+$/i.test(text.trim()) ? text.trim().toUpperCase() : null
  const found = useQuery({
    queryKey: ['protocol', protocol],
    enabled: protocol !== null,
    queryFn: () => answer(api.GET('/attendances', { params: { query: { protocol: protocol ?? '', limit: 1 } } })),
  })
  return protocol ? (found.data?.data[0] ?? null) : null
}
