import { IconInbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  memo,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
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
import { protocolIn, protocolOptions } from './protocol'
import { refusal } from '../refusal'
import { pinnedFirst, useConversations, usePinned } from './useConversations'
import { activeFilters, isFixed, type Search } from './view'
import classes from './ListPane.module.css'
import { part } from '../../ui/parts'
import { PlainButton } from '../../ui/plain'

const SelectionBar = part(() =>
  import('./SelectionBar').then((loaded) => loaded.SelectionBar),
)
const MessageResults = part(() =>
  withTexts('talk', import('./MessageResults')).then(
    (loaded) => loaded.MessageResults,
  ),
)

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
export const ListPane = memo(function ListPane({
  view,
  search,
  query,
  open,
  selection,
  setSelection,
  onSelect,
  onSearch,
  onOpen,
  onEnter,
  onNew,
  onShown,
}: Props) {
  const { t } = useTranslation()
  const { list, rows } = useConversations(query)
  const [inMessages, setInMessages] = useState(false)
  useEffect(() => {
    if (!search.q) setInMessages(false)
  }, [search.q])

  // The open conversation keeps its row even if it no longer matches.
  const opened = useCached<Conversation>(keys.conversation(open ?? ''))
  const kept = opened && !search.q && list.isSuccess ? opened : undefined
  const pinned = usePinned(query)
  const shown = useMemo(
    () =>
      pinnedFirst(
        kept && !rows.some((one) => one.id === kept.id)
          ? keepRow(rows, kept)
          : rows,
        pinned,
      ),
    [kept, rows, pinned],
  )
  const protocol = useQuery(protocolOptions(protocolIn(search.q ?? ''))).data
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const listKey = useMemo(() => JSON.stringify(query), [query])

  return (
    <section className={classes.pane} aria-label={t('list.pane')}>
      <ListHead
        view={view}
        search={search}
        query={query}
        onSearch={onSearch}
        onOpen={onOpen}
        onNew={onNew}
      />
      {selection.size > 0 && (
        <Suspense fallback={null}>
          <SelectionBar
            selection={selection}
            setSelection={setSelection}
            rows={rows}
            query={query}
          />
        </Suspense>
      )}
      {search.q && (
        <div className={classes.found}>
          {protocol && (
            <PlainButton
              look="subtle"
              size="xs"
              onClick={() => onOpen(protocol.conversation)}
            >
              {t('list.openProtocol', { protocol: protocol.protocol })}
            </PlainButton>
          )}
          <PlainButton
            look="subtle"
            size="xs"
            onClick={() => setInMessages(!inMessages)}
            aria-pressed={inMessages}
          >
            {t('list.searchMessages', { text: search.q })}
          </PlainButton>
        </div>
      )}
      {inMessages && search.q ? (
        <Suspense fallback={null}>
          <MessageResults text={search.q} view={view} />
        </Suspense>
      ) : list.isPending ? (
        <Loading rows={7} height={58} />
      ) : list.isError ? (
        <Failure
          message={refusal(list.error, t)}
          requestId={
            list.error instanceof ApiFailure ? list.error.requestId : undefined
          }
          onRetry={() => void list.refetch()}
        />
      ) : shown.length === 0 ? (
        <Empty
          icon={<IconInbox size={28} />}
          title={
            search.q
              ? t('list.nothingFound')
              : t(`empty.${isFixed(view) ? view : 'view'}`)
          }
        >
          {search.q || activeFilters(search) > 0 ? (
            <PlainButton
              look="default"
              onClick={() =>
                onSearch({
                  q: undefined,
                  channel: undefined,
                  sector: undefined,
                  person: undefined,
                  label: undefined,
                  kind: undefined,
                })
              }
            >
              {t('list.clear')}
            </PlainButton>
          ) : (
            <EmptyAction onNew={onNew} />
          )}
        </Empty>
      ) : (
        <ConversationList
          rows={shown}
          list={listKey}
          open={open}
          selection={selection}
          onSelect={onSelect}
          onOpen={onOpen}
          onEnter={onEnter}
          onEnd={onEnd}
          onShown={onShown}
        />
      )}
    </section>
  )
})

/** keepRow inserts a conversation that left the list at its old position by time. */
function keepRow(rows: Conversation[], kept: Conversation): Conversation[] {
  const time = kept.last_message?.created_at ?? kept.updated_at
  const at = rows.findIndex(
    (one) => (one.last_message?.created_at ?? one.updated_at) < time,
  )
  const place = at < 0 ? rows.length : at
  return [...rows.slice(0, place), kept, ...rows.slice(place)]
}
