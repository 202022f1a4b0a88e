import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { moment } from '../ui/format'
import { Empty, Failure, Loading } from '../ui/states'
import { refusal } from './refusal'
import classes from './MessageResults.module.css'

/** MessageResults are the messages that contain a text. */
export function MessageResults({ text }: { text: string }) {
  const { t } = useTranslation()
  const found = useInfiniteQuery({
    queryKey: keys.messages(text, null),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => answer(api.GET('/messages', { params: { query: { q: text, limit: 30, ...(pageParam ? { cursor: pageParam } : {}) } } })),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  if (found.isPending) return <Loading />
  if (found.isError) return <Failure message={refusal(found.error, t)} onRetry={() => void found.refetch()} />
  const hits = found.data.pages.flatMap((page) => page.data)
  if (hits.length === 0) return <Empty title={t('list.nothingFound')} />
  return (
    <ul className={classes.results} aria-label={t('list.messages')}>
      {hits.map(({ message, conversation, snippet, match: [start = 0, length = 0] }) => (
        <li key={message.id}>
          <Link to="/inbox/$view/$conversation" params={{ view: 'open', conversation: conversation.id }} search={{ message: message.id, q: text }} className={classes.result}>
            <span className={classes.name}>
              {conversation.name} <time className={classes.time}>{moment(message.created_at)}</time>
            </span>
            <span className={classes.snippet}>
              {snippet.slice(0, start)}
              <mark>{snippet.slice(start, start + length)}</mark>
              {snippet.slice(start + length)}
            </span>
          </Link>
        </li>
      ))}
      {found.hasNextPage && (
        <li>
          <Button fullWidth variant="subtle" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>{t('common.more')}</Button>
        </li>
      )}
    </ul>
  )
}
