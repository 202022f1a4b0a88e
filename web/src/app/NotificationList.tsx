import { Button, Switch } from '@mantine/core'
import {
  IconAlarm,
  IconAlertCircle,
  IconAt,
  IconBellOff,
  IconClockPlay,
  IconCoins,
  IconPlugConnectedX,
  IconDeviceMobile,
  IconHourglass,
  IconUserCheck,
  type Icon,
} from '@tabler/icons-react'
import {
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useChannels, useUnreadNotifications } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import type { Notification } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { preview } from '../contact/preview'
import { dateAndTime, phone } from '../ui/format'
import { obstacleOf, thisBrowser } from '../ui/pushSupport'
import { Empty, Failure, Loading } from '../ui/states'
import { grouped, type Group } from './notificationGroups'
import classes from './Notifications.module.css'

const icons: Record<Notification['kind'], Icon> = {
  assigned: IconUserCheck,
  mentioned: IconAt,
  waiting: IconHourglass,
  snooze_ended: IconClockPlay,
  message_failed: IconAlertCircle,
  sla_warning: IconAlarm,
  sla_breached: IconAlarm,
  budget_warning: IconCoins,
  channel_disconnected: IconPlugConnectedX,
}

/** isLevel reports whether a notification is about a service level. */
const isLevel = (kind: Notification['kind']) =>
  kind === 'sla_warning' || kind === 'sla_breached'

/** isPersonal reports whether a person can have caused a notification. */
const isPersonal = (
  kind: Notification['kind'],
): kind is Exclude<
  Notification['kind'],
  'sla_warning' | 'sla_breached' | 'budget_warning' | 'channel_disconnected'
> =>
  !isLevel(kind) && kind !== 'budget_warning' && kind !== 'channel_disconnected'

/** NotificationList lists the user's notifications, newest first. onOpened is called when one is opened. */
export function NotificationList({ onOpened }: { onOpened: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const unread = useUnreadNotifications()
  const [only, setOnly] = useState(false)
  const list = useInfiniteQuery({
    queryKey: keys.notificationList(only),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/me/notifications', {
          params: {
            query: {
              limit: 30,
              ...(only ? { unread: 'true' } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  })
  const read = (body: { ids: string[] } | { all: true }) =>
    attempt(async () => {
      await unwrap(api.POST('/me/notifications/read', { body }))
      await client.invalidateQueries({ queryKey: keys.notifications })
    })
  const open = (ids: string[]) => {
    if (ids.length > 0) void read({ ids })
    onOpened()
  }
  const shown = grouped(list.data?.pages.flatMap((page) => page.data) ?? [])
  return (
    <>
      <div className={classes.bar}>
        <Switch
          size="xs"
          label={t('notifications.unread')}
          checked={only}
          onChange={(event) => setOnly(event.currentTarget.checked)}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          disabled={unread === 0}
          onClick={() => void read({ all: true })}
        >
          {t('notifications.readAll')}
        </Button>
      </div>
      {list.isPending ? (
        <Loading rows={4} height={52} />
      ) : list.isError ? (
        <Failure
          message={refusal(list.error, t)}
          requestId={requestIdOf(list.error)}
          onRetry={() => void list.refetch()}
        />
      ) : shown.length === 0 ? (
        <Empty
          icon={<IconBellOff size={28} />}
          title={t(only ? 'notifications.allRead' : 'notifications.none')}
        />
      ) : (
        <ul className={classes.list} aria-label={t('shell.notifications')}>
          {shown.map((group) => (
            <Item
              key={group.newest.id}
              group={group}
              onOpen={() => open(group.unread)}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          fullWidth
          variant="subtle"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
      <OnDevice onOpened={onOpened} />
    </>
  )
}

/** OnDevice leads to the switch for push notifications until the browser has been asked for permission. */
function OnDevice({ onOpened }: { onOpened: () => void }) {
  const { t } = useTranslation()
  const browser = thisBrowser()
  const obstacle = obstacleOf(browser)
  if (
    browser.permission !== 'default' ||
    (obstacle !== null && obstacle !== 'install')
  )
    return null
  return (
    <Link
      to="/settings/$"
      params={{ _splat: 'profile' }}
      hash="devices"
      className={classes.onDevice}
      onClick={onOpened}
    >
      <IconDeviceMobile size={16} stroke={1.7} aria-hidden />
      {t('notifications.onDevice')}
    </Link>
  )
}

/** useSubject fetches the message that a notification is about: the one that failed, or else the newest of the conversation. A note is not fetched. */
function useSubject({ kind, entry, conversation }: Notification) {
  const failed = kind === 'message_failed' ? entry : null
  const message = useQuery({
    queryKey: keys.notifiedMessage(failed ?? ''),
    enabled: failed !== null,
    retry: false,
    staleTime: 0,
    queryFn: () =>
      unwrap(
        api.GET('/messages/{id}', { params: { path: { id: failed ?? '' } } }),
      ),
  }).data
  const open = useQuery({
    queryKey: keys.conversation(conversation?.id ?? ''),
    enabled: entry === null && conversation !== null,
    retry: false,
    queryFn: () =>
      unwrap(
        api.GET('/conversations/{id}', {
          params: { path: { id: conversation?.id ?? '' } },
        }),
      ),
  }).data
  if (failed !== null)
    return {
      message,
      sent: ['sent', 'delivered', 'read'].includes(message?.status ?? ''),
    }
  return { message: entry === null ? open?.last_message : null, sent: false }
}

/** ItemLink opens what a notification is about: a conversation at the note or message, the numbers, or the costs. */
function ItemLink({
  notification: { kind, conversation, entry },
  ...props
}: {
  notification: Notification
  className: string | undefined
  'data-unread': true | undefined
  'data-kind': string | undefined
  onClick: () => void
  children: ReactNode
}) {
  if (conversation)
    return (
      <Link
        to="/inbox/$view/$conversation"
        params={{ view: 'open', conversation: conversation.id }}
        search={entry ? { message: entry } : {}}
        {...props}
      />
    )
  if (kind === 'channel_disconnected')
    return (
      <Link
        to="/settings/$"
        params={{ _splat: `channels/${entry}` }}
        {...props}
      />
    )
  return <Link to="/report/costs" {...props} />
}

/** Subject names the conversation or the number that a notification is about. */
function Subject({
  notification: { kind, conversation, entry },
}: {
  notification: Notification
}) {
  const { t } = useTranslation()
  const channels = useChannels().data
  if (kind !== 'channel_disconnected')
    return conversation?.name ?? t('notifications.costs')
  const channel = channels?.find((one) => one.id === entry)
  return (
    channel && [channel.name, phone(channel.phone)].filter(Boolean).join(' · ')
  )
}

/** Item is a line of the list. */
function Item({ group, onOpen }: { group: Group; onOpen: () => void }) {
  const { t } = useTranslation()
  const { kind, by, created_at } = group.newest
  const { message, sent } = useSubject(group.newest)
  const unread = group.unread.length > 0
  const Sign = icons[kind]
  return (
    <li>
      <ItemLink
        notification={group.newest}
        className={classes.item}
        data-unread={unread || undefined}
        data-kind={sent ? undefined : kind}
        onClick={onOpen}
      >
        <Sign size={18} stroke={1.7} aria-hidden className={classes.sign} />
        <span className={classes.main}>
          <span className={classes.what}>
            {sent
              ? t('notifications.sentLater')
              : by && isPersonal(kind)
                ? t(`notifications.by.${kind}`, { name: by.name })
                : t(`notifications.kind.${kind}`)}
          </span>
          <strong>
            <Subject notification={group.newest} />
          </strong>
          {message && (
            <span className={classes.preview}>{preview(message, t)}</span>
          )}
          <span className={classes.when}>
            <time dateTime={created_at}>{dateAndTime(created_at)}</time>
            {group.ids.length > 1 &&
              !isLevel(kind) &&
              ` · ${t('notifications.more', { n: group.ids.length - 1 })}`}
          </span>
        </span>
        {unread && (
          <span className={classes.dot}>
            <span className="visually-hidden">{t('notifications.new')}</span>
          </span>
        )}
      </ItemLink>
    </li>
  )
}
