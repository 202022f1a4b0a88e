import { IconInbox } from '@tabler/icons-react'
import { memo, Suspense, useCallback, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as ApiFailure } from '../../api/client'
import { keys } from '../../api/keys'
import type { Conversation, ConversationQuery } from '../../api/types'
import { withTexts } from '../../ui/i18n'
import { Empty, Failure, Loading } from '../../ui/states'
import { useCached } from '../../ui/useCached'
import { ConversationList } from './ConversationList'
import { EmptyAction } from './EmptyAction'
import { ListHead } from './ListHead'
import { refusal } from '../refusal'
import { pinnedFirst, useConversations, usePinned } from './useConversations'
import { useKept } from './useKept'
import { activeFilters, isFixed, noFilters, type Search } from './view'
import classes from './ListPane.module.css'
import { part } from '../../ui/parts'
import { PlainButton } from '../../ui/plain'

const SelectionBar = part(() =>
  import('./SelectionBar').then((loaded) => loaded.SelectionBar),
)
const SearchResults = part(() =>
  withTexts('talk', import('./SearchResults')).then(
    (loaded) => loaded.SearchResults,
  ),
)

type Props = {
  view: string
  search: Search
  query: ConversationQuery
  open: string | undefined
  selecting: boolean
  /** Whether a click on a row selects it instead of opening it. */
  rowsSelect: boolean
  selection: ReadonlySet<string>
  setSelection: (ids: ReadonlySet<string>) => void
  onSelecting: (on: boolean) => void
  onSelect: (id: string) => void
  onSearch: (change: Partial<Search>) => void
  /** onOpen opens a conversation to write in it, onMove shows it while the focus stays in the list. */
  onOpen: (id: string) => void
  onMove: (id: string) => void
  onEnter: () => void
  onNew: () => void
  onShown: (rows: Conversation[]) => void
  /** onViews shows the views if they are hidden. */
  onViews: (() => void) | undefined
}

/** ListPane is the list of conversations with search, filters and order. */
export const ListPane = memo(function ListPane({
  view,
  search,
  query,
  open,
  selecting,
  rowsSelect,
  selection,
  setSelection,
  onSelecting,
  onSelect,
  onSearch,
  onOpen,
  onMove,
  onEnter,
  onNew,
  onShown,
  onViews,
}: Props) {
  const { t } = useTranslation()
  const pane = useRef<HTMLElement>(null)
  const { list, rows } = useConversations(query)
  const listKey = useMemo(() => JSON.stringify(query), [query])
  const pinned = usePinned(query)
  const sorted = useMemo(() => pinnedFirst(rows, pinned), [rows, pinned])
  const opened = useCached<Conversation>(keys.conversation(open ?? ''))
  const { rows: shown, gone } = useKept(
    sorted,
    search.q || !list.isSuccess ? undefined : opened,
    listKey,
    activeFilters(search) > 0,
  )
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const first = useRef<string>(undefined)
  first.current = shown[0]?.id
  /** toResults moves the focus from the search field to the first result. */
  const toResults = useCallback(() => {
    const stop = pane.current?.querySelector<HTMLElement>('[data-stop]')
    stop?.focus()
    if (
      stop?.role === 'listbox' &&
      !stop.hasAttribute('aria-activedescendant') &&
      first.current
    )
      onMove(first.current)
  }, [onMove])
  const rowProps = {
    list: listKey,
    open,
    selecting,
    rowsSelect,
    selection,
    onSelect,
    onOpen,
    onMove,
    onEnter,
    onEnd,
    onShown,
  }

  return (
    <section
      ref={pane}
      className={classes.pane}
      aria-label={t('list.pane')}
      data-place="list"
    >
      <ListHead
        view={view}
        search={search}
        query={query}
        selecting={selecting}
        onSelecting={onSelecting}
        onSearch={onSearch}
        onOpen={onOpen}
        onDown={toResults}
        onNew={onNew}
        onViews={onViews}
      />
      {selecting && (
        <Suspense fallback={null}>
          <SelectionBar
            selection={selection}
            setSelection={setSelection}
            rows={rows}
            query={query}
            onEnd={() => onSelecting(false)}
          />
        </Suspense>
      )}
      {list.isError ? (
        <Failure
          message={refusal(list.error, t)}
          requestId={
            list.error instanceof ApiFailure ? list.error.requestId : undefined
          }
          onRetry={() => void list.refetch()}
        />
      ) : search.q ? (
        <Suspense fallback={<Loading rows={7} height={58} />}>
          <SearchResults
            text={search.q}
            view={view}
            rows={list.isPending ? undefined : shown}
            rowProps={rowProps}
            onSearch={onSearch}
          />
        </Suspense>
      ) : list.isPending ? (
        <Loading rows={7} height={58} />
      ) : shown.length === 0 ? (
        <Empty
          icon={<IconInbox size={28} />}
          title={t(`empty.${isFixed(view) ? view : 'view'}`)}
        >
          {activeFilters(search) > 0 ? (
            <PlainButton look="default" onClick={() => onSearch(noFilters)}>
              {t('list.clear')}
            </PlainButton>
          ) : (
            <EmptyAction onNew={onNew} />
          )}
        </Empty>
      ) : (
        <ConversationList rows={shown} gone={gone} {...rowProps} />
      )}
    </section>
  )
})
