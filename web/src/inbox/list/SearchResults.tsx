import { IconArrowLeft } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Conversation } from '../../api/types'
import { phone } from '../../ui/format'
import { PlainButton } from '../../ui/plain'
import { Empty, Loading } from '../../ui/states'
import { ConversationList, type RowProps } from './ConversationList'
import { MessageHits, messagesOptions } from './MessageHits'
import { MessageResults } from './MessageResults'
import { protocolIn, protocolOptions } from './protocol'
import { noFilters, type Search } from './view'
import classes from './SearchResults.module.css'

/** How many results a section shows before "Show all". */
const few = 6

/** Only is the kind of results that is shown alone. */
type Only = 'conversations' | 'messages'

type Props = {
  text: string
  view: string
  /** rows holds the conversations found, or is undefined while they are loading. */
  rows: Conversation[] | undefined
  rowProps: RowProps
  onSearch: (change: Partial<Search>) => void
}

/** SearchResults shows the cases, conversations, contacts and messages found, and on request all conversations or all messages. */
export function SearchResults(props: Props) {
  const { t } = useTranslation()
  const { text, view, rows, rowProps } = props
  const [chosen, setChosen] = useState<{ only: Only | null; text: string }>({
    only: null,
    text,
  })
  const setOnly = (only: Only | null) => setChosen({ only, text })
  const { only } = chosen
  // Who reads messages goes on with the next text; another text may find other kinds.
  if (!only || (only === 'conversations' && chosen.text !== text))
    return <Sections {...props} onOnly={setOnly} />
  return (
    <>
      <div className={classes.back}>
        <PlainButton look="subtle" size="xs" onClick={() => setOnly(null)}>
          <IconArrowLeft size={14} /> {t('found.back')}
        </PlainButton>
      </div>
      {only === 'messages' ? (
        <MessageResults text={text} view={view} />
      ) : (
        <ConversationList rows={rows ?? []} {...rowProps} />
      )}
    </>
  )
}

/** Sections shows the first results of each kind. They are loaded side by side. */
function Sections({
  text,
  view,
  rows,
  rowProps,
  onSearch,
  onOnly,
}: Props & { onOnly: (only: Only) => void }) {
  const { t } = useTranslation()
  const found = useQuery(protocolOptions(protocolIn(text))).data
  const messages = useInfiniteQuery(messagesOptions(text, {}))
  const hits = messages.data?.pages.flatMap((page) => page.data)
  const contacts = useContactsWithout(text, rows)
  const nothing =
    rows?.length === 0 && !found && hits?.length === 0 && contacts.length === 0
  const all = (label: string, only: Only) => (
    <div className={classes.more}>
      <PlainButton look="subtle" size="xs" onClick={() => onOnly(only)}>
        {label}
      </PlainButton>
    </div>
  )
  return (
    <div className={classes.results} onKeyDown={moveBetweenResults}>
      {found && (
        <Section title={t('found.cases')}>
          <button
            type="button"
            className={classes.entry}
            data-stop
            onClick={() => rowProps.onOpen(found.conversation)}
          >
            <strong>
              {t('list.openProtocol', { protocol: found.protocol })}
            </strong>{' '}
            <span>{found.contact?.name}</span>
          </button>
        </Section>
      )}
      {!rows ? (
        <Loading rows={3} height={58} />
      ) : (
        rows.length > 0 && (
          <Section title={t('found.conversations')}>
            <ConversationList inline rows={rows.slice(0, few)} {...rowProps} />
            {rows.length > few &&
              all(t('found.allConversations'), 'conversations')}
          </Section>
        )
      )}
      {contacts.length > 0 && (
        <Section title={t('found.contacts')}>
          {contacts.map((one) => (
            <Link
              key={one.id}
              to="/contacts/$contact"
              params={{ contact: one.id }}
              className={classes.entry}
              data-stop
            >
              <strong>{one.name}</strong> <span>{phone(one.phone)}</span>
            </Link>
          ))}
        </Section>
      )}
      {nothing && (
        <Empty title={t('list.nothingFound')}>
          <PlainButton look="default" onClick={() => onSearch(noFilters)}>
            {t('list.clear')}
          </PlainButton>
        </Empty>
      )}
      <Section title={nothing ? '' : t('found.messages')}>
        {!hits && messages.isPending && <Loading rows={2} height={40} />}
        {hits && hits.length > 0 && (
          <MessageHits hits={hits.slice(0, few)} text={text} view={view} />
        )}
        {hits?.length === 0 && !nothing && (
          <p className={classes.none}>{t('found.noMessages')}</p>
        )}
        {all(t('list.searchMessages', { text }), 'messages')}
      </Section>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      {title && <h2 className={classes.heading}>{title}</h2>}
      {children}
    </>
  )
}

/** useContactsWithout finds contacts by name or phone that have none of the conversations found. */
function useContactsWithout(text: string, rows: Conversation[] | undefined) {
  const { data } = useQuery({
    queryKey: keys.contacts(`inbox ${text}`),
    staleTime: 0,
    enabled: text.length > 1,
    queryFn: () =>
      unwrap(
        api.GET('/contacts', { params: { query: { q: text, limit: few } } }),
      ).then((page) => page.data),
  })
  const known = new Set(rows?.map((one) => one.contact))
  return rows ? (data ?? []).filter((one) => !known.has(one.id)) : []
}

/** moveBetweenResults moves the focus with the arrow keys: to the neighbouring result, or up to the search field. */
function moveBetweenResults(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined || event.defaultPrevented) return
  const stops = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]'),
  ]
  const at = stops.findIndex((stop) => stop.contains(document.activeElement))
  if (at < 0) return
  event.preventDefault()
  const next =
    at + by < 0
      ? document.getElementById('conversation-search')
      : stops[at + by]
  next?.focus()
}
