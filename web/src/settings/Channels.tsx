import { Alert, Badge, Button } from '@mantine/core'
import {
  IconBrandWhatsapp,
  IconChevronRight,
  IconFlask,
  IconLock,
  IconQrcode,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useChannels } from '../api/queries'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { withTexts } from '../ui/i18n'
import { Page } from '../ui/Layout'
import { Empty } from '../ui/states'
import { ChannelPage } from './ChannelPage'
import { channelText, numberLine } from './channelText'
import { ConnectNumber } from './ConnectNumber'
import { Customer } from './Customer'
import { LinkNumber } from './LinkNumber'
import { NumberChoices } from './NumberChoices'
import { PrivateElsewhere } from './PrivateElsewhere'
import { useFresh } from './useFresh'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

const TemplatesPage = lazy(() =>
  withTexts(
    'reception',
    withTexts('templates', import('./templates/TemplatesPage')),
  ),
)

/** testPhone returns an unassigned phone number: the digits after the area code start with 9 0000. */
export const testPhone = (channels: Channel[]) =>
  `+551190000${String(1000 + channels.length).slice(-4)}`

/** usePrivateChannels returns all private channels with their viewers, including those the user cannot see. */
const usePrivateChannels = () =>
  useQuery({
    queryKey: keys.privateChannels,
    queryFn: () => unwrap(api.GET('/private-channels')),
  })

/** Channels is the page of the company's numbers, of one number, of its templates, or of connecting another. */
export default function Channels() {
  const { _splat: path = '' } = useParams({ strict: false })
  const [, id, next, template, from] = path.split('/')
  useFresh(keys.channels, keys.privateChannels, keys.team, keys.hours)
  if (id === 'connect') return <ConnectNumber />
  if (id === 'link') return <LinkNumber />
  if (id && next === 'templates')
    return <TemplatesPage id={id} page={template} from={from} />
  return id ? (
    <OneChannel key={id} id={id} fresh={next === 'connected'} />
  ) : (
    <ChannelList />
  )
}

function OneChannel({ id, fresh }: { id: string; fresh: boolean }) {
  const { t } = useTranslation()
  const channels = useChannels()
  const hidden = usePrivateChannels()
  return (
    <Loaded query={channels}>
      {(seen) => {
        const channel = seen.find((one) => one.id === id)
        if (!channel)
          return (
            <Empty title={t('channels.gone')}>
              <Button
                component={Link}
                to="/settings/channels"
                variant="default"
              >
                {t('channels.title')}
              </Button>
            </Empty>
          )
        return (
          <Loaded query={hidden}>
            {(all) => (
              <ChannelPage
                channel={channel}
                viewers={all.find((one) => one.id === id)?.viewers}
                fresh={fresh}
              />
            )}
          </Loaded>
        )
      }}
    </Loaded>
  )
}

function ChannelList() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const channels = useChannels()
  const hidden = usePrivateChannels()
  const { busy, problem, run } = useSubmit()
  const add = () =>
    void run(async () => {
      await unwrap(
        api.POST('/channels', {
          body: {
            name: t('channels.name'),
            provider: 'sandbox',
            phone: testPhone(channels.data ?? []),
          },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  const sandbox = channels.data?.find(
    (one) => one.provider === 'sandbox' && one.status === 'connected',
  )
  const elsewhere =
    hidden.data?.filter(
      (one) => !channels.data?.some((channel) => channel.id === one.id),
    ) ?? []
  return (
    <Page title={t('channels.title')} text={t('channels.text')}>
      {problem && (
        <Alert color="red" variant="light" mb="md">
          {problem}
        </Alert>
      )}
      <Loaded query={channels}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconBrandWhatsapp size={28} />}
              title={t('channels.none')}
              text={t('channels.noneText')}
            />
          ) : (
            <ul className={rows.rows} aria-label={t('channels.region')}>
              {data.map((channel) => (
                <ChannelRow
                  key={channel.id}
                  channel={channel}
                  isPrivate={
                    hidden.data?.some((one) => one.id === channel.id) ?? false
                  }
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {channels.data && <NumberChoices busy={busy} onTest={add} />}
      {elsewhere.length > 0 && <PrivateElsewhere channels={elsewhere} />}
      {sandbox && <Customer channel={sandbox} />}
    </Page>
  )
}

function ChannelRow({
  channel,
  isPrivate,
}: {
  channel: Channel
  isPrivate: boolean
}) {
  const { t } = useTranslation()
  const connected = channel.status === 'connected'
  const said = channel.status_reason ?? channel.warning
  const tone = !connected ? 'red' : channel.warning ? 'yellow' : 'green'
  return (
    <li>
      <Link
        to="/settings/$"
        params={{ _splat: `channels/${channel.id}` }}
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
            {numberLine(channel, t)}
            {isPrivate && (
              <>
                {' '}
                · <IconLock size={12} aria-hidden /> {t('channels.private')}
              </>
            )}
          </span>
          {said && (
            <span data-tone={connected ? 'amber' : 'red'}>
              {channelText(said, t)}
            </span>
          )}
        </span>
        <Badge
          variant="light"
          color={tone}
          className={classes.badge}
          data-tone={tone}
          tt="none"
        >
          {t(
            connected && channel.warning
              ? 'channels.warned'
              : `channels.${channel.status}`,
          )}
        </Badge>
        <IconChevronRight size={18} aria-hidden />
      </Link>
    </li>
  )
}
