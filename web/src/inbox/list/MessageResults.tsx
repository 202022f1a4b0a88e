import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { FoundMessage } from '../../api/types'
import { moment } from '../../ui/format'
import { Empty, Failure, Loading } from '../../ui/states'
import { dayAfter, MessageFilters, type MessageFilter } from './MessageFilters'
import { refusal } from '../refusal'
import classes from './MessageResults.module.css'

/** MessageResults lists the messages that contain a text, with filters. view is the view in which conversations open. */
export function MessageResults({ text, view }: { text: string; view: string }) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState<MessageFilter>({})
  const query = { ...filter, ...(filter.to ? { to: dayAfter(filter.to) } : {}) }
  const found = useInfiniteQuery({
    queryKey: [...keys.messages(text, null), query],
    staleTime: 0, // no event invalidates search results
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/messages', {
          params: {
            query: {
              q: text,
              limit: 30,
              ...query,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const hits = found.data?.pages.flatMap((page) => page.data)
  return (
    <>
      <MessageFilters
        filter={filter}
        onChange={(change) => setFilter((before) => ({ ...before, ...change }))}
      />
      {found.isError ? (
        <Failure
          message={refusal(found.error, t)}
          onRetry={() => void found.refetch()}
        />
      ) : !hits ? (
        <Loading />
      ) : hits.length === 0 ? (
        <Empty title={t('list.nothingFound')}>
          {Object.values(filter).some(Boolean) && (
            <Button variant="default" onClick={() => setFilter({})}>
              {t('messageSearch.clear')}
            </Button>
          )}
        </Empty>
      ) : (
        <ul className={classes.results} aria-label={t('list.messages')}>
          {hits.map((hit) => (
            <Hit key={hit.message.id} hit={hit} text={text} view={view} />
          ))}
          {found.hasNextPage && (
            <li>
              <Button
                fullWidth
                variant="subtle"
                loading={found.isFetchingNextPage}
                onClick={() => void found.fetchNextPage()}
              >
                {t('common.more')}
              </Button>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

/** Hit opens the conversation at the message found. */
function Hit({
  hit: {
    message,
    conversation,
    snippet,
    match: [start = 0, length = 0],
  },
  text,
  view,
}: {
  hit: FoundMessage
  text: string
  view: string
}) {
  return (
    <li>
      <Link
        to="/inbox/$view/$conversation"
        params={{ view, conversation: conversation.id }}
        search={{ message: message.id, q: text }}
        className={classes.result}
      >
        <span className={classes.name}>
          {conversation.name}{' '}
          <time className={classes.time}>{moment(message.created_at)}</time>
        </span>
        <span className={classes.snippet}>
          {snippet.slice(0, start)}
          <mark>{snippet.slice(start, start + length)}</mark>
          {snippet.slice(start + length)}
        </span>
      </Link>
    </li>
  )
}
