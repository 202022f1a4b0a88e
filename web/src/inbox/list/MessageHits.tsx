import { infiniteQueryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { FoundMessage, MessageQuery } from '../../api/types'
import { moment } from '../../ui/format'
import classes from './MessageResults.module.css'

/** messagesOptions finds the messages that contain a text. */
export const messagesOptions = (text: string, query: Partial<MessageQuery>) =>
  infiniteQueryOptions({
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

type Props = {
  hits: FoundMessage[]
  text: string
  /** view is the view in which conversations open. */
  view: string
  children?: ReactNode
}

/** MessageHits lists the messages found; each opens its conversation at the message. */
export function MessageHits({ hits, text, view, children }: Props) {
  const { t } = useTranslation()
  return (
    <ul className={classes.results} aria-label={t('list.messages')}>
      {hits.map((hit) => (
        <Hit key={hit.message.id} hit={hit} text={text} view={view} />
      ))}
      {children}
    </ul>
  )
}

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
        data-stop
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
