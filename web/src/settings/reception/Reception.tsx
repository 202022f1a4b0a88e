import { Badge, Button } from '@mantine/core'
import {
  IconBrandWhatsapp,
  IconChevronRight,
  IconDoorEnter,
  IconFlask,
  IconLock,
  IconQrcode,
} from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { useChannels } from '../../api/queries'
import type { Channel } from '../../api/types'
import { phone } from '../../ui/format'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import { BackToReception, ReceptionEditor } from './ReceptionEditor'
import { fetchReception } from './stored'
import { useFresh } from '../useFresh'
import rows from '../../ui/rows.module.css'
import classes from '../Settings.module.css'

const receptionOptions = (channel: string) => ({
  queryKey: keys.reception(channel),
  queryFn: () => fetchReception(channel),
})

/** Reception is the page of automatic replies: all numbers, or one of them. */
export default function Reception() {
  const { _splat: path = '' } = useParams({ strict: false })
  const [, id] = path.split('/')
  useFresh(keys.channels, keys.privateChannels, keys.sectors, keys.team)
  const channels = useChannels()
  const hidden = useQuery({
    queryKey: keys.privateChannels,
    queryFn: () => unwrap(api.GET('/private-channels')),
  })
  return (
    <Loaded query={channels}>
      {(all) => (
        <Loaded query={hidden}>
          {(unseen) => {
            const isPrivate = (channel: Channel) =>
              unseen.some((one) => one.id === channel.id)
            if (!id)
              return <ReceptionList channels={all} isPrivate={isPrivate} />
            const channel = all.find((one) => one.id === id)
            return channel ? (
              <OneReception
                key={id}
                channel={channel}
                isPrivate={isPrivate(channel)}
              />
            ) : (
              <Gone />
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

function Gone() {
  const { t } = useTranslation()
  return (
    <Empty title={t('channels.gone')}>
      <Button component={Link} to="/settings/reception" variant="default">
        {t('reception.title')}
      </Button>
    </Empty>
  )
}

/** OneReception refetches before it shows the form, so that the current version is edited. */
function OneReception({
  channel,
  isPrivate,
}: {
  channel: Channel
  isPrivate: boolean
}) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(0)
  const stored = useQuery({
    ...receptionOptions(channel.id),
    enabled: !isPrivate,
    refetchOnMount: 'always',
  })
  const data = stored.isFetchedAfterMount ? stored.data : undefined
  return (
    <Page
      wide={!isPrivate}
      title={t('reception.of', { name: channel.name })}
      text={t('reception.text')}
      action={<BackToReception />}
    >
      {isPrivate ? (
        <Empty
          icon={<IconLock size={28} />}
          title={t('reception.private')}
          text={t('reception.privateText')}
        />
      ) : (
        <Loaded
          query={{
            ...stored,
            data,
            isPending: stored.isPending || !stored.isFetchedAfterMount,
          }}
        >
          {(reception) => (
            <ReceptionEditor
              key={shown}
              channel={channel}
              reception={reception}
              onReload={() => setShown(shown + 1)}
            />
          )}
        </Loaded>
      )}
    </Page>
  )
}

function ReceptionList({
  channels,
  isPrivate,
}: {
  channels: Channel[]
  isPrivate: (channel: Channel) => boolean
}) {
  const { t } = useTranslation()
  const stored = useQueries({
    queries: channels.map((channel) => ({
      ...receptionOptions(channel.id),
      enabled: !isPrivate(channel),
      refetchOnMount: 'always' as const,
    })),
  })
  return (
    <Page title={t('reception.title')} text={t('reception.text')}>
      {channels.length === 0 ? (
        <Empty
          icon={<IconDoorEnter size={28} />}
          title={t('channels.none')}
          text={t('reception.noneText')}
        >
          <Button component={Link} to="/settings/channels">
            {t('channels.title')}
          </Button>
        </Empty>
      ) : (
        <ul className={rows.rows} aria-label={t('channels.region')}>
          {channels.map((channel, at) => (
            <ReceptionRow
              key={channel.id}
              channel={channel}
              isPrivate={isPrivate(channel)}
              enabled={stored[at]?.data?.enabled}
            />
          ))}
        </ul>
      )}
    </Page>
  )
}

function ReceptionRow({
  channel,
  isPrivate,
  enabled,
}: {
  channel: Channel
  isPrivate: boolean
  enabled: boolean | undefined
}) {
  const { t } = useTranslation()
  return (
    <li>
      <Link
        to="/settings/$"
        params={{ _splat: `reception/${channel.id}` }}
        className={rows.row}
      >
        <span className={classes.icon} aria-hidden>
          {channel.provider === 'sandbox' ? (
            <IconFlask size={20} />
          ) : channel.provider === 'linked' ? (
            <IconQrcode size={20} />
          ) : (
            <IconBrandWhatsapp size={20} />
          )}
        </span>
        <span className={rows.main}>
          <strong>{channel.name}</strong>
          <span>
            {phone(channel.phone)}
            {isPrivate && (
              <>
                {' '}
                · <IconLock size={12} aria-hidden /> {t('reception.private')}
              </>
            )}
          </span>
        </span>
        {enabled !== undefined && (
          <Badge
            variant="light"
            color={enabled ? 'green' : 'gray'}
            className={classes.badge}
            data-tone={enabled ? 'green' : 'gray'}
            tt="none"
          >
            {t(enabled ? 'reception.on' : 'reception.off')}
          </Badge>
        )}
        <IconChevronRight size={18} aria-hidden />
      </Link>
    </li>
  )
}
