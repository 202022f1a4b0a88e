import { Button } from '@mantine/core'
import {
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { IconFileImport } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe, useNames } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import type { Attendance, Contact, Conversation } from '../api/types'
import { closeReason } from '../contact/history'
import { preview } from '../contact/preview'
import { Section } from '../contact/Section'
import details from '../contact/Details.module.css'
import { dateAndTime, duration, moment } from '../ui/format'
import { Stars } from '../ui/Stars'
import { Failure, Loading } from '../ui/states'
import { UnusedContact } from './UnusedContact'
import classes from './Contacts.module.css'

/** ContactConversations lists all conversations with a contact, one per number, with their cases. */
export function ContactConversations({
  contact,
  onDeleted,
}: {
  contact: Contact
  onDeleted: () => void
}) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayImport = useMe().scopes.includes('data:manage')
  const list = useInfiniteQuery({
    queryKey: [...keys.contact(contact.id), 'conversations'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/conversations', {
          params: {
            query: {
              contact: contact.id,
              limit: 20,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const conversations = (list.data?.pages ?? []).flatMap((page) => page.data)
  return (
    <Section title={t('contacts.conversations')}>
      {list.isPending && <Loading rows={2} />}
      {list.isSuccess && conversations.length === 0 && (
        <p className={details.nothing}>{t('contacts.noConversation')}</p>
      )}
      {list.isSuccess && conversations.length === 0 && (
        <UnusedContact contact={contact} onDeleted={onDeleted} />
      )}
      {conversations.map((conversation) => (
        <OneConversation key={conversation.id} conversation={conversation} />
      ))}
      <ListEnd list={list} />
      {mayImport && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconFileImport size={16} />}
          onClick={() =>
            void navigate({
              to: '/contacts/import-chat',
              search: { contact: contact.id },
            })
          }
        >
          {t('conversation.importChat')}
        </Button>
      )}
    </Section>
  )
}

type List = Pick<
  UseInfiniteQueryResult,
  | 'isError'
  | 'error'
  | 'refetch'
  | 'data'
  | 'hasNextPage'
  | 'isFetchingNextPage'
  | 'fetchNextPage'
>

/** ListEnd loads the next page of a list, or shows why that failed. */
function ListEnd({ list }: { list: List }) {
  const { t } = useTranslation()
  const again = () => void (list.data ? list.fetchNextPage() : list.refetch())
  if (list.isError)
    return (
      <Failure
        message={refusal(list.error, t)}
        requestId={requestIdOf(list.error)}
        onRetry={again}
      />
    )
  return (
    list.hasNextPage && (
      <Button
        variant="subtle"
        size="xs"
        loading={list.isFetchingNextPage}
        onClick={again}
      >
        {t('common.more')}
      </Button>
    )
  )
}

function OneConversation({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const names = useNames()
  const last = conversation.last_message
  return (
    <article className={classes.conversation}>
      <Link
        to="/inbox/$view/$conversation"
        params={{
          view: conversation.attendance ? 'open' : 'closed',
          conversation: conversation.id,
        }}
        className={classes.talk}
      >
        <span className={classes.line}>
          <strong>
            {names.channel(conversation.channel)?.name ?? t('filters.channel')}
          </strong>
          <span>{last ? moment(last.created_at) : ''}</span>
        </span>
        <span className={classes.preview}>
          {last ? preview(last, t) : t('contacts.noMessage')}
        </span>
      </Link>
      <Attendances conversation={conversation.id} />
    </article>
  )
}

/** Attendances lists all cases of a conversation, newest first. */
function Attendances({ conversation }: { conversation: string }) {
  const { t } = useTranslation()
  const list = useInfiniteQuery({
    queryKey: [...keys.attendances(conversation), 'all'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/attendances', {
          params: {
            query: {
              conversation,
              limit: 20,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const all = (list.data?.pages ?? []).flatMap((page) => page.data)
  return (
    <>
      <ul className={classes.cases}>
        {all.map((one) => (
          <li key={one.id} className={classes.case}>
            <span className={classes.line}>
              <strong>{one.protocol}</strong>
              <span className={classes.status} data-status={one.status}>
                {one.status === 'open'
                  ? t('contacts.open')
                  : t('contacts.closed')}
              </span>
            </span>
            <Facts attendance={one} />
          </li>
        ))}
      </ul>
      <ListEnd list={list} />
    </>
  )
}

function Facts({ attendance }: { attendance: Attendance }) {
  const { t } = useTranslation()
  const names = useNames()
  const facts = [
    attendance.responsible?.name ?? t('filters.nobody'),
    names.sector(attendance.sector),
    dateAndTime(attendance.opened_at),
    attendance.closed_at &&
      t('contacts.took', {
        time: duration(
          (Date.parse(attendance.closed_at) -
            Date.parse(attendance.opened_at)) /
            1000,
        ),
      }),
    attendance.close_reason === 'automatic'
      ? t('contacts.automatic')
      : closeReason(attendance, t),
  ]
  return (
    <span className={classes.facts}>
      {attendance.survey?.rating && (
        <>
          <Stars rating={attendance.survey.rating} size={13} />{' '}
        </>
      )}
      {facts.filter(Boolean).join(' · ')}
    </span>
  )
}
